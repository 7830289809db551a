import { isExactNumber } from "../../../exact-json/exact-number.ts";
import { memberOf } from "../../../json.ts";
import { oneLine } from "../line.ts";
import { numberText, shortWarnings, warningLines } from "../notes.ts";
import { textAt } from "./document.ts";

/** What a schema document says of itself, beside its streams, as structured output has it: bounded, and nothing where it says nothing. */
export function documentMembers(document: unknown): Readonly<Record<string, unknown>> {
  const { warnings, more } = shortWarnings(document);
  const of = memberOf(document, "package");
  const partial = partialOf(document);
  const id = textAt(of, "grant_package");
  const own = {
    ...(id === null ? {} : { grant_package: oneLine(id, PACKAGE_ID_MAX_CHARS) }),
    ...countOf(of),
  };
  const meta = {
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(more === 0 ? {} : { more_warnings: more }),
    ...(partial === undefined
      ? {}
      : { package: { ...countOf(memberOf(memberOf(document, "meta"), "package")), partial } }),
  };
  return {
    ...(Object.keys(own).length === 0 ? {} : { package: own }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

const PACKAGE_ID_MAX_CHARS = 128;

/** The same in text: whether sources are missing, and the warnings. */
export function documentLines(document: unknown): readonly string[] {
  const isPartial = partialOf(document) === true;
  const count = numberText(memberOf(memberOf(document, "package"), "member_count"));
  return [
    ...(isPartial ? [`partial=true${count === undefined ? "" : ` sources=${count}`}`] : []),
    ...warningLines(document),
  ];
}

function partialOf(document: unknown): boolean | undefined {
  const partial = memberOf(memberOf(memberOf(document, "meta"), "package"), "partial");
  return typeof partial === "boolean" ? partial : undefined;
}

function countOf(holder: unknown): object {
  const count = memberOf(holder, "member_count");
  const isCount = typeof count === "number" || isExactNumber(count);
  return isCount && numberText(count) !== undefined ? { member_count: count } : {};
}
