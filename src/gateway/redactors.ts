import type { Config } from "../config.ts";
import { redactorFor } from "../scrub/redactor.ts";
import type { GatewayPorts } from "./ports.ts";

/** Each server's redactor, as a configuration has it. */
export function redactorPorts({ gateway, mcpServers }: Config): Pick<GatewayPorts, "redactor" | "redacts"> {
  return {
    redacts: gateway.redact || Object.values(mcpServers).some(({ redact }) => redact === true),
    redactor: (server) => {
      const known =
        server !== undefined && Object.hasOwn(mcpServers, server) ? mcpServers[server] : undefined;
      return redactorFor(gateway.redact, known?.redact);
    },
  };
}
