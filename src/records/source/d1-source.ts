import type { ServerPorts } from "../server/ports.ts";
import { wireProblem } from "../problem.ts";
import { answerRead } from "../server/route.ts";
import type {
  ReadAnswer,
  ReadRequest,
  ReadSource,
  SourceConnection,
  SourceDescription,
} from "./read-source.ts";

/** The embedded resource server as a source, in process: what a grant covers is what its ports cover. */
export class D1Source implements ReadSource {
  readonly #ports: ServerPorts;
  readonly #newRequestId: () => string;

  constructor(ports: ServerPorts, newRequestId: () => string) {
    this.#ports = ports;
    this.#newRequestId = newRequestId;
  }

  describe(): SourceDescription {
    const connections = new Map<string, SourceConnection>();
    for (const { connectionId, connectorKey, grantId, displayName, stream } of this.#ports.coverage.feeds) {
      const streams = [...(connections.get(connectionId)?.streams ?? []), stream.name];
      connections.set(connectionId, { connectionId, connectorKey, grantId, displayName, streams });
    }
    return { kind: "d1", profile: "full", connections: [...connections.values()] };
  }

  async get(request: ReadRequest): Promise<ReadAnswer> {
    const requestId = this.#newRequestId();
    const answer = await answerRead(request, this.#ports);
    if (answer.ok) return { ok: true, status: 200, body: answer.value.body, requestId };
    return { ok: false, ...wireProblem(answer.reason), requestId };
  }
}
