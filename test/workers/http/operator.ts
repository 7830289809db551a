import { catalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { parseConfig } from "../../../src/config.ts";
import type { Bindings } from "../../../src/http/bindings.ts";
import { bearerFor, OPERATOR, send } from "./client.ts";

/** Asks as the operator. */
export function ask(path: string, bindings: Partial<Bindings> = {}): Promise<Response> {
  return send(path, { headers: { Authorization: `Bearer ${OPERATOR}` } }, bindings);
}

/** A body of any type: `text()` warns of those that the platform takes for no text. */
export async function textOf(response: Response): Promise<string> {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer());
}

const KINDS = ["client", "package", "owner"] as const;

/** What each kind of caller is answered: no bearer, a bad one, those of each kind, and the operator. */
export async function answersByCaller(path: string): Promise<readonly string[]> {
  const bearers = await Promise.all(KINDS.map((kind) => bearerFor({ kind })));
  const answers: string[] = [];
  for (const bearer of ["", "lg_client_nonsense", ...bearers, OPERATOR]) {
    const response = await send(path, {
      headers: bearer === "" ? {} : { Authorization: `Bearer ${bearer}` },
    });
    const body = await textOf(response);
    answers.push(response.ok ? String(response.status) : `${response.status} ${body}`);
  }
  return answers;
}

/** Nobody but the operator may ask, and a refusal tells no more than that. */
export const OPERATOR_ALONE = [
  '401 {"error":"unauthorized"}',
  '401 {"error":"unauthorized"}',
  ...KINDS.map(() => '403 {"error":"forbidden"}'),
  "200",
];

/** The hash under which a configuration's refresh is told. */
export function configHash(text: string): string {
  const config = parseConfig(text);
  const settings = config.ok ? catalogSettings(config.value) : config;
  if (!settings.ok) throw new Error("no configuration");
  return settings.value.hash;
}
