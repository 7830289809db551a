/** The part of autocannon's interface that is used; it carries no types of its own. */
declare module "autocannon" {
  interface Client {
    /** A piece of an answer's body. */
    on(event: "body", listener: (piece: Buffer) => void): void;
    /** The answer is complete. */
    on(event: "response", listener: (status: number) => void): void;
  }

  interface Options {
    readonly url: string;
    readonly method: "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** Puts an id that is never used again in the place of `[<id>]`. */
    readonly idReplacement: true;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    readonly setupClient: (client: Client) => void;
  }

  interface Result {
    readonly duration: number;
    readonly errors: number;
    readonly requests: { readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number };
  }

  interface Running extends Promise<Result> {
    stop(): void;
  }

  function autocannon(options: Options): Running;
  export = autocannon;
}
