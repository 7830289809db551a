import type { StaticServerConfig } from "../../config.ts";
import { ok } from "../../result.ts";
import type { ListedEntry } from "../refresh/listed-entry.ts";
import type { ListedServer } from "../refresh/refresh-ports.ts";

/** MCP wants a name of every resource: where the block has none, what follows the address's last `/`. */
function nameOf(uri: string): string {
  return uri.split("/").findLast((segment) => segment !== "") ?? uri;
}

/** What a block that is its own server lists: its resources and prompts as MCP lists them, without what reading them gives. */
export function staticListing(
  { resources, prompts }: Pick<StaticServerConfig, "resources" | "prompts">,
  read: (entry: unknown, kind: "resource" | "prompt") => ListedEntry,
): ListedServer {
  return {
    tools: ok([]),
    resources: ok(
      resources.map(({ text: _text, blob: _blob, ...listed }) =>
        read({ ...listed, name: listed.name ?? nameOf(listed.uri) }, "resource"),
      ),
    ),
    prompts: ok(prompts.map(({ messages: _messages, ...listed }) => read(listed, "prompt"))),
  };
}
