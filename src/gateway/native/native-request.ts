import type { ListedForm } from "../../identity/listed-form.ts";
import type { CallOrigin } from "../../surface.ts";
import type { CallContext } from "../call-context.ts";
import type { GatewayPorts } from "../ports.ts";

/** One of MCP's own requests on `/mcp/proxy`, and what it is answered with. */
export interface NativeRequest {
  /** As they came. */
  readonly params: unknown;
  readonly context: CallContext;
  readonly ports: GatewayPorts;
  /** In which form prompts are listed. */
  readonly names: ListedForm;
  /** A read is never known by a name of its caller's: see `nativePart`. */
  readonly origin: CallOrigin;
}
