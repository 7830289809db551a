/** Sends one request to the Worker under test. */
type Send = (path: string, init: RequestInit) => Promise<Response>;

/** A client of `/mcp` in a session of its own: what it posts, one request after another, and the message that answers. */
export async function openSession(
  send: Send,
  bearer: string,
): Promise<(method: string, params: object) => Promise<unknown>> {
  let session: string | null = null;
  let next = 0;
  const post = async (method: string, params: object): Promise<unknown> => {
    const headers = {
      Authorization: `Bearer ${bearer}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(session === null ? {} : { "Mcp-Session-Id": session }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: (next += 1), method, params });
    const response = await send("/mcp", { method: "POST", headers, body });
    session ??= response.headers.get("mcp-session-id");
    return response.json();
  };
  const clientInfo = { name: "t", version: "1" };
  await post("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  return post;
}
