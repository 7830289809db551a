import { parseExactJson } from "../../../exact-json/parse.ts";
import { memberOf } from "../../../json.ts";
import type { FieldDeclaration } from "../../manifest/manifest.ts";
import { jsonPath } from "../filter/field-value.ts";
import type { BodyReader, Row } from "../ports.ts";

/**
 * SQL that finds, for the record that `q` names by `f` (feed) and `p` (key), the field as its body has it: a time's own text,
 * `1.10`, twenty digits. Columns `own` and `object`, if the body is in the bucket.
 */
export function ownColumns({ name }: FieldDeclaration): { readonly columns: string; readonly join: string } {
  return {
    columns: `w.data -> ${jsonPath(name)} AS own, w.data_object AS object`,
    join: `LEFT JOIN records o ON o.feed_id = q.f AND o.record_key = q.p
LEFT JOIN record_versions w ON w.feed_id = o.feed_id AND w.version = o.version`,
  };
}

/** The value in the body of a row's record; undefined where the body has none. */
export async function ownValue(row: Row, { name }: FieldDeclaration, bodies: BodyReader): Promise<unknown> {
  const { own, object } = { own: row["own"], object: row["object"] };
  if (typeof own === "string") return parsed(own);
  if (typeof object !== "string") return undefined;
  const body = await bodies.read(object);
  return body === undefined ? undefined : memberOf(parsed(body), name);
}

function parsed(text: string): unknown {
  const read = parseExactJson(text, { duplicates: "last" });
  return read.ok ? read.value : undefined;
}
