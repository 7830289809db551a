import type { MiddlewareHandler } from "hono";
import { DEFAULT_LISTED_FORM, isListedForm, LISTED_FORMS, type ListedForm } from "../identity/listed-form.ts";
import { INVALID_REQUEST } from "../spine/frame/frame-problem.ts";
import { rpcError } from "./answers.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";

/** Refuses `?names=` that is none of the forms, or more than one: a client would otherwise be shown names it did not ask for. */
export const readNames: MiddlewareHandler<HttpEnv> = async function readNames(c, next) {
  const given = c.req.queries("names") ?? [];
  if (given.length <= 1 && given.every(isListedForm)) return next();
  return rpcError(400, INVALID_REQUEST, `Invalid Request: names must be one of ${LISTED_FORMS.join(", ")}`);
};

/** In which form the lists name what is in them. Stands behind `readNames`. */
export function listedFormOf(c: HttpContext): ListedForm {
  const given = c.req.query("names");
  return isListedForm(given) ? given : DEFAULT_LISTED_FORM;
}
