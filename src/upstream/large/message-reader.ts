import {
  UPSTREAM_DETAIL_MAX_CHARS,
  UPSTREAM_LARGE_NAME_MAX_CHARS,
  UPSTREAM_PARAMS_MAX_CHARS,
} from "../../limits.ts";
import { MemberWalk } from "./member-walk.ts";
import type { Reading } from "./reading.ts";
import { ResultReader } from "./result-reader.ts";
import { ShortValue, UNREAD, type ValueKind, type ValueReader } from "./value-reader.ts";

/** Reads a JSON-RPC message as far as an answer is judged by it. */
class MessageReader extends MemberWalk {
  readonly message: Record<string, unknown> = {};
  readonly #reading: Reading;
  #result: ResultReader | undefined;

  constructor(reading: Reading) {
    super(reading.hush);
    this.#reading = reading;
  }

  protected override begin(name: string, kind: ValueKind): ValueReader {
    switch (name) {
      case "jsonrpc":
      case "id":
      case "method":
        return this.#short(name, kind);
      case "params":
        return kind === "object" ? this.#readParams() : UNREAD;
      case "error":
        return kind === "object" ? this.#readError() : this.#short(name, kind);
      case "result":
        this.abandon();
        return kind === "object" ? this.#readResult() : this.#short(name, kind);
      default:
        return UNREAD;
    }
  }

  /** See `ResultReader.settle`. */
  settle(): void {
    this.#result?.settle();
  }

  /** It is no answer to us. */
  abandon(): void {
    this.#result?.abandon();
    this.#result = undefined;
  }

  #short(name: string, kind: ValueKind): ValueReader {
    return new ShortValue(kind, UPSTREAM_LARGE_NAME_MAX_CHARS, (value) => {
      this.message[name] = value;
    });
  }

  #readResult(): ValueReader {
    this.#result = new ResultReader(this.#reading);
    this.message["result"] = this.#result.tree;
    return this.#result;
  }

  #readParams(): ValueReader {
    const reader = new ParamsReader(this.#reading.hush);
    this.message["params"] = reader.params;
    return reader;
  }

  #readError(): ValueReader {
    const reader = new ErrorReader(this.#reading.hush);
    this.message["error"] = reader.error;
    return reader;
  }
}

/** Of what a server says or asks, as far as anybody is told of it. */
class ParamsReader extends MemberWalk {
  readonly params: Record<string, unknown> = {};

  protected override begin(name: string, kind: ValueKind): ValueReader {
    if (!PARAMS.has(name)) return UNREAD;
    return new ShortValue(kind, UPSTREAM_PARAMS_MAX_CHARS, (value) => {
      this.params[name] = value;
    });
  }
}

const PARAMS: ReadonlySet<string> = new Set(["progressToken", "progress", "total", "message"]);

/** An error's code and words; the words as far as any detail holds them. */
class ErrorReader extends MemberWalk {
  readonly error: Record<string, unknown> = {};

  protected override begin(name: string, kind: ValueKind): ValueReader {
    if (name !== "code" && name !== "message") return UNREAD;
    return new ShortValue(kind, UPSTREAM_DETAIL_MAX_CHARS, (value) => {
      this.error[name] = value;
    });
  }
}

/**
 * Reads a JSON text that is a message or a batch of them. Of a batch the first message counts that is an answer; what
 * another one gave is given up.
 */
export class MessagesReader extends MemberWalk {
  readonly #reading: Reading;
  readonly #isAnswer: (message: unknown) => boolean;
  /** Of the message that counts, as far as it is known which. */
  #reader: MessageReader | undefined;

  constructor(reading: Reading, isAnswer: (message: unknown) => boolean) {
    super(reading.hush, true);
    this.#reading = reading;
    this.#isAnswer = isAnswer;
  }

  /** The message that counts, in what `carryAnswer` takes. */
  get message(): unknown {
    return this.#reader?.message;
  }

  /** The outflow is drained. */
  settle(): void {
    this.#reader?.settle();
  }

  protected override begin(_key: string, kind: ValueKind): ValueReader {
    if (kind === "array")
      return new BatchReader(this.#reading, this.#isAnswer, (reader) => this.#take(reader));
    if (kind !== "object") return UNREAD;
    const reader = new MessageReader(this.#reading);
    this.#take(reader);
    return reader;
  }

  #take(reader: MessageReader): void {
    this.#reader = reader;
  }
}

class BatchReader extends MemberWalk {
  readonly #reading: Reading;
  readonly #isAnswer: (message: unknown) => boolean;
  readonly #take: (reader: MessageReader) => void;
  #last: MessageReader | undefined;
  #isFound = false;

  constructor(
    reading: Reading,
    isAnswer: (message: unknown) => boolean,
    take: (reader: MessageReader) => void,
  ) {
    super(reading.hush);
    this.#reading = reading;
    this.#isAnswer = isAnswer;
    this.#take = take;
  }

  protected override begin(_key: string, kind: ValueKind): ValueReader {
    this.#judge();
    if (this.#isFound || kind !== "object") return UNREAD;
    this.#last = new MessageReader(this.#reading);
    return this.#last;
  }

  override finish(): void {
    this.#judge();
  }

  #judge(): void {
    const last = this.#last;
    this.#last = undefined;
    if (last === undefined) return;
    this.#isFound = this.#isAnswer(last.message);
    if (this.#isFound) this.#take(last);
    else {
      last.abandon();
      this.#reading.room.release();
    }
  }
}
