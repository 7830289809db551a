import type { UpstreamCall } from "../../../src/dispatch/ports.ts";
import { ok } from "../../../src/result.ts";
import type { TokenCounter } from "../../../src/tokens/token-counter.ts";
import { Told } from "../../command-line.ts";
import { countTokens } from "../firewall/reading/count.ts";
import { modelText } from "../firewall/reading/model-text.ts";
import { openGateway, shownText } from "../gateway/open-gateway.ts";
import { RefreshedCatalog } from "../gateway/refreshed-catalog.ts";
import type { LargeResource } from "./large-resources.ts";

const SERVER = "corpus";

/** cl100k tokens of a kind's large resources: whole, as `resources/read` gives them, and as a model reads `resource_read`. */
export interface ReadingTokens {
  readonly kind: string;
  readonly resources: number;
  readonly whole: number;
  readonly shown: number;
}

/** Reads every resource through the whole gateway; sums by kind, in the order in which kinds first come. */
export async function measureReading(
  resources: readonly LargeResource[],
  counter: TokenCounter,
): Promise<ReadingTokens[]> {
  const refreshed = new RefreshedCatalog([SERVER]);
  const entries = resources.map(({ uri, mimeType }) => ({
    server: SERVER,
    definition: { uri, name: uri, mimeType },
  }));
  await refreshed.refresh([], { resource: entries });
  const byUri = new Map(resources.map((resource) => [resource.uri, resource]));
  const gateway = await openGateway(refreshed, async ({ params }: UpstreamCall) => {
    const { uri, mimeType, text } = byUri.get(String(params["uri"])) ?? {};
    return ok({ contents: [{ uri, mimeType, text }] });
  });
  const sums = new Map<string, ReadingTokens>();
  for (const { kind, uri, text } of resources) {
    const answer = await gateway.call("resource_read", { resource_id: uri });
    if (answer.isError === true) throw new Told(`${uri} could not be read: ${shownText(answer)}`);
    const before = sums.get(kind) ?? { kind, resources: 0, whole: 0, shown: 0 };
    sums.set(kind, {
      kind,
      resources: before.resources + 1,
      whole: before.whole + countTokens(text, counter),
      shown: before.shown + countTokens(modelText(answer.content), counter),
    });
  }
  return [...sums.values()];
}
