import { unreachable, noAnswer, type Refusal, refusalOf } from "./refusal.ts";
import { fail, ok, type Result } from "../../src/result.ts";
import { eventsOf, OverCap, textOf } from "./events.ts";
import { ANSWER_MAX_BYTES } from "./limits.ts";

/** The endpoint, and the bearer that goes to it and nowhere else. */
export class Server {
  readonly #endpoint: URL;
  readonly #bearer: string;
  /** What `initialize` settled on; each later request says it (MCP 2025-11-25, "Protocol Version Header"). */
  protocolVersion: string | undefined;

  constructor(endpoint: URL, bearer: string) {
    this.#endpoint = endpoint;
    this.#bearer = bearer;
  }

  /**
   * Posts what asks something. It never throws, nor do the messages that it brings: they end with the refusal that cut
   * them short, if one did.
   */
  async post(
    text: string,
    signal: AbortSignal,
  ): Promise<Result<AsyncGenerator<string, Refusal | null>, Refusal>> {
    const response = await this.#send(text, signal);
    return response.ok ? ok(messagesOf(response.value)) : response;
  }

  /** Posts what asks nothing: what comes back is not read. */
  async notify(text: string, signal: AbortSignal): Promise<Refusal | null> {
    const response = await this.#send(text, signal);
    if (!response.ok) return response.reason;
    await response.value.body?.cancel().catch(() => undefined);
    return null;
  }

  async #send(text: string, signal: AbortSignal): Promise<Result<Response, Refusal>> {
    try {
      const response = await fetch(this.#endpoint, {
        method: "POST",
        headers: {
          Accept: "application/json, text/event-stream",
          "Content-Type": "application/json",
          Authorization: `Bearer ${this.#bearer}`,
          ...(this.protocolVersion === undefined ? {} : { "MCP-Protocol-Version": this.protocolVersion }),
        },
        body: text,
        redirect: "manual",
        signal,
      });
      return response.ok ? ok(response) : fail(await refusalOf(response));
    } catch {
      return fail(unreachable());
    }
  }
}

async function* messagesOf(response: Response): AsyncGenerator<string, Refusal | null> {
  const { body, status } = response;
  if (body === null || status === 202 || status === 204) {
    await body?.cancel().catch(() => undefined);
    return null;
  }
  try {
    const type = response.headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase();
    if (type === "text/event-stream") yield* eventsOf(body, ANSWER_MAX_BYTES);
    else yield await textOf(body, ANSWER_MAX_BYTES);
    return null;
  } catch (error) {
    if (error instanceof OverCap) return noAnswer(`the answer is over ${ANSWER_MAX_BYTES} bytes`);
    return noAnswer("the answer broke off");
  }
}
