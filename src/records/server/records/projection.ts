import { parseExactJson } from "../../../exact-json/parse.ts";
import { bareObject, isRecord } from "../../../json.ts";
import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { readableField } from "../filter/filters.ts";
import type { Parameters } from "../parameters.ts";

/** The fields of a record that are given; null for all that it has. */
export type Projection = ReadonlySet<string> | null;

/** What a request may see of a feed's records: what the grant gives, narrowed to `fields` or to a view, and always what the schema requires. */
export function projectionOf(feed: CoveredFeed, parameters: Parameters): Result<Projection, PdppProblem> {
  const fields = parameters.list("fields") ?? [];
  const view = parameters.one("view");
  if (view === undefined) return fields.length === 0 ? ok(feed.fields) : narrowed(feed, fields);
  if (fields.length > 0) {
    return fail(problem("invalid_request", "fields and view are alternatives.", { param: "view" }));
  }
  const found = feed.stream.views.find(({ id }) => id === view);
  if (found === undefined) {
    const ids = feed.stream.views.map(({ id }) => id).join(", ");
    return fail(
      problem("invalid_request", `No such view${ids === "" ? ": the stream has none" : `. Known: ${ids}`}.`, {
        param: "view",
      }),
    );
  }
  // A view is a name for a choice of fields, made without this grant in mind: of it is given what is granted.
  return ok(
    withRequired(
      feed,
      found.fields.filter((field) => feed.fields?.has(field) ?? true),
    ),
  );
}

/** What is given where nothing was asked to be left out, as for the children of an expansion. */
export function grantedProjection({ fields }: CoveredFeed): Projection {
  return fields;
}

function narrowed(feed: CoveredFeed, fields: readonly string[]): Result<Projection, PdppProblem> {
  for (const field of fields) {
    const readable = readableField(feed, field, "fields");
    if (!readable.ok) return readable;
  }
  return ok(withRequired(feed, fields));
}

function withRequired({ stream }: CoveredFeed, fields: readonly string[]): ReadonlySet<string> {
  const required = [...stream.fields.values()].filter((field) => field.required).map(({ name }) => name);
  return new Set([...required, ...fields]);
}

/** A record's body, of which only what may be seen ever leaves this module; members stay in their order. */
export function projectBody(text: string, projection: Projection): object {
  const parsed = parseExactJson(text, { duplicates: "last" });
  if (!parsed.ok || !isRecord(parsed.value)) throw new Error("a stored body is no JSON object");
  if (projection === null) return parsed.value;
  const projected = bareObject<unknown>();
  for (const [name, value] of Object.entries(parsed.value)) {
    if (projection.has(name)) projected[name] = value;
  }
  return projected;
}
