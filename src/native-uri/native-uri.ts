/** The scheme of URIs that name their server: `loomgate://<namespace>/<the URI as it is>`. */
const SCHEME = "loomgate:";
const START = `${SCHEME}//`;

/** A namespace as server names give it (seed 000 §1.1), what follows it, and at least one character of a URI. */
const NATIVE = /^loomgate:\/\/([a-z][a-z0-9_-]{0,63})\/(?=.)/s;

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

/** Takes a client's URI apart. What does not begin as ours do is a URI by itself. */
export function readNativeUri(text: string): NativeUri {
  const namespace = NATIVE.exec(text)?.[1];
  return namespace === undefined
    ? { uri: text }
    : { namespace, uri: text.slice(START.length + namespace.length + 1) };
}

/**
 * Whether a URI or a template's URIs may begin with our scheme: in any case, since clients fold it, and through a variable
 * that stands before the scheme's end.
 */
function mayBeNative(text: string): boolean {
  const brace = text.indexOf("{");
  const known = (brace === -1 ? text : text.slice(0, brace)).slice(0, SCHEME.length).toLowerCase();
  return known === SCHEME || (brace !== -1 && SCHEME.startsWith(known));
}
