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
 * its meaning when the tool's schema changes.
 */
export function idForms(id: string): readonly string[] {
  const parsed = parsePrimitiveId(id);
  if (!parsed.ok) return [id];
  const { version, hash8 } = parsed.value;
  const ends = (version === null ? 0 : version.length + 1) + (hash8 === null ? 0 : hash8.length + 1);
  return [id, id.slice(0, id.length - ends)];
}
