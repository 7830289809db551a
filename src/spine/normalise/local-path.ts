import { fail, ok, type Result } from "../../result.ts";

/**
 * Why a text is no local path. `unsupported_scheme`: a URI of something else than a file, which is no relative path
 * either. `relative_root`: what relative paths would be joined to is itself not absolute.
 */
export type LocalPathProblem =
  | "wrong_type"
  | "empty"
  | "surrounding_whitespace"
  | "nul"
  | "invalid_file_uri"
  | "non_local_file_uri"
  | "unsupported_scheme"
  | "relative_root";

const BLANK_AROUND = /^\p{White_Space}|\p{White_Space}$/u;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
/** RFC 8089: with an authority or without, the path from the root on. */
const FILE_URI = /^file:(?:\/\/([^/]*)|(?!\/\/))(\/.*)$/isu;

/**
 * An absolute path from a path or a `file:` URI (RFC 8089), relative paths joined to `root`. Nothing is resolved, trimmed
 * or made up: `..` stays, so that who confines paths to a folder has to do it afterwards. Of a URI the escapes are
 * decoded; one with a query, a fragment, a broken escape, an escaped slash or bytes that are not UTF-8 is malformed, and
 * one whose host is neither empty nor `localhost` is not local.
 */
export function readLocalPath(raw: unknown, root: string): Result<string, LocalPathProblem> {
  if (typeof raw !== "string") return fail("wrong_type");
  if (raw === "") return fail("empty");
  if (BLANK_AROUND.test(raw)) return fail("surrounding_whitespace");
  if (raw.includes("\0")) return fail("nul");
  if (/^file:/i.test(raw)) return readFileUri(raw);
  if (SCHEME.test(raw)) return fail("unsupported_scheme");
  if (raw.startsWith("/")) return ok(raw);
  if (!root.startsWith("/")) return fail("relative_root");
  return root.includes("\0") ? fail("nul") : ok(`${root}${root.endsWith("/") ? "" : "/"}${raw}`);
}

function readFileUri(uri: string): Result<string, LocalPathProblem> {
  const [, host = "", path] = FILE_URI.exec(uri) ?? [];
  // An encoded slash would be part of a name, and no file system has such a name.
  if (path === undefined || /[?#]|%2f/i.test(path)) return fail("invalid_file_uri");
  if (host !== "" && host.toLowerCase() !== "localhost") return fail("non_local_file_uri");
  const decoded = percentDecoded(path);
  if (decoded === undefined) return fail("invalid_file_uri");
  if (decoded.includes("\0")) return fail("nul");
  // `file:////host/share` is how a share of another machine is written.
  return decoded.startsWith("//") ? fail("non_local_file_uri") : ok(decoded);
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
