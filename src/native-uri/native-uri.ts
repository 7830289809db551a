/** The scheme of URIs that name their server: `loomgate://<namespace>/<the URI as it is>`. */
const SCHEME = "loomgate:";
const START = `${SCHEME}//`;

/**
 * A namespace as server names give it (seed 000 §1.1), what follows it, and at least one character of a URI; the scheme in any
 * case, since clients fold it.
 */
const NATIVE = /^loomgate:\/\/([a-z][a-z0-9_-]{0,63})\/(?=.)/is;

/** What readers of URIs leave out, wherever it stands (WHATWG URL, "basic URL parser"), and more of the kind. */
const LEFT_OUT = /[\p{Cc}\s]+/gu;

/** A URI, and the server that it names, where it does. */
export interface NativeUri {
  readonly namespace?: string;
  readonly uri: string;
}

/**
 * The URI that a client knows a server's resource by: its own, unless it is another's too or could be taken for one of
 * these. No two pairs of server and URI get one text, where `contested` is true of every URI that two servers have. The
 * URI is kept as it is behind the namespace, so that no state is needed to read it, and a URI template stays one with the
 * same variables. `namespace` is a legal one.
 */
export function nativeUri(namespace: string, uri: string, contested: boolean): string {
  return contested || mayBeNative(uri) ? `${START}${namespace}/${uri}` : uri;
}

/**
 * Takes a client's URI apart. What does not begin as ours do is a URI by itself; what does and names no server is nobody's:
 * `undefined`. No server is ever asked for such a text, whatever it lists, so that none can answer by another's name.
 */
export function readNativeUri(text: string): NativeUri | undefined {
  const namespace = NATIVE.exec(text)?.[1];
  // Namespaces have no capitals: one that has is none.
  if (namespace !== undefined && namespace === namespace.toLowerCase())
    return { namespace, uri: text.slice(START.length + namespace.length + 1) };
  return isOurs(text) ? undefined : { uri: text };
}

/** Whether a text begins with our scheme, as whoever reads it may read it. */
export function isOurs(text: string): boolean {
  return plain(text).startsWith(SCHEME);
}

/** Whether a URI or a template's URIs may begin with our scheme: also through a variable that stands before the scheme's end. */
function mayBeNative(text: string): boolean {
  const brace = text.indexOf("{");
  const known = plain(brace === -1 ? text : text.slice(0, brace)).slice(0, SCHEME.length);
  return known === SCHEME || (brace !== -1 && SCHEME.startsWith(known));
}

function plain(text: string): string {
  return text.replace(LEFT_OUT, "").toLowerCase();
}
