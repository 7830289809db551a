import { compileGlob, matchGlob } from "../glob.ts";
import { parsePrimitiveId } from "../identity/primitive-id.ts";

/**
 * Whether a text is what a configured glob names. A text that is no glob (empty or too long) gives `otherwise` for
 * everything: each caller passes the answer that grants nothing.
 */
export function globTest(source: string, otherwise: boolean): (text: string) => boolean {
  const glob = compileGlob(source);
  return glob.ok ? (text) => matchGlob(glob.value, text) : () => otherwise;
}

/**
 * What a glob over ids is tried on: the id, and the id without its version and hash, so that `github:create_issue` keeps
 * its meaning when the tool's schema changes. A resource's and a prompt's are tried without their kind too, so that
 * `github:*` means all that a server has, and without the rank that a collision gave them (seed 000 §9.3).
 */
export function idForms(id: string): readonly string[] {
  const canonical = withoutRank(id);
  const parsed = parsePrimitiveId(canonical);
  if (!parsed.ok) return [id];
  const { kind, version, hash8 } = parsed.value;
  const ends = (version === null ? 0 : version.length + 1) + (hash8 === null ? 0 : hash8.length + 1);
  const bare = canonical.slice(0, canonical.length - ends);
  if (kind === "tool") return [id, bare];
  const forms = [id, canonical, bare];
  return [...new Set([...forms, ...forms.map((form) => form.slice(kind.length + KIND_MARK.length))])];
}

/** An id of a resource or a prompt without the `~N` of a collision; any other text as it is. */
export function withoutRank(id: string): string {
  return id.includes(KIND_MARK) ? id.replace(RANK, "") : id;
}

const KIND_MARK = "::";
/** Seed 000 §9.3. */
const RANK = /~[1-9][0-9]{0,9}$/;
