import { ok } from "../../result.ts";
import type { OtherKind } from "../catalog.ts";
import type { ServerTargetSettings } from "../rollout/targets.ts";
import { OTHER_KINDS, type PerKind } from "../snapshot/pointer.ts";
import type { KeyedTool } from "./compose.ts";
import { ingestPrimitives } from "./ingest-primitives.ts";
import type { PrimitiveForm } from "./judge-primitive.ts";
import type { CounterFault, ListedEntries, ListedServer, Listing, RefreshPorts } from "./refresh-ports.ts";

/** One kind of a target beside tools, after its listing. */
export interface ListedPrimitives {
  readonly listing: Listing | undefined;
  readonly tools: readonly KeyedTool[];
  /** The methods that gave no list. */
  readonly failed: readonly string[];
}

const FORMS = { resource: ["resource", "template"], prompt: ["prompt"] } as const satisfies PerKind<
  readonly PrimitiveForm[]
>;
const METHODS = {
  resource: "resources/list",
  template: "resources/templates/list",
  prompt: "prompts/list",
} as const;

function entriesOf({ resources, templates, prompts }: ListedServer, form: PrimitiveForm) {
  const entries = { resource: resources, template: templates, prompt: prompts }[form];
  const none: ListedEntries = { ok: true, value: [] };
  return { form, entries: entries ?? none };
}

function sourceOf({ source }: ServerTargetSettings, kind: OtherKind): string {
  return `${source}:${kind}`;
}

/** What is known of a target's other kinds without asking it. `stale`: the servers whose last listing of a kind failed. */
export function recallPrimitives(
  place: ServerTargetSettings,
  { store }: Pick<RefreshPorts, "store">,
  stale: PerKind<readonly string[]> = {},
): PerKind<ListedPrimitives> {
  const found: Partial<Record<OtherKind, ListedPrimitives>> = {};
  for (const kind of OTHER_KINDS) {
    const listing = store.listing(sourceOf(place, kind));
    if (listing === undefined) continue;
    const isStale = stale[kind]?.includes(place.server.name) === true;
    const failed = isStale ? FORMS[kind].slice(0, 1).map((form) => METHODS[form]) : [];
    found[kind] = { listing, tools: listing.tools ?? [], failed };
  }
  return found;
}

/** What was found of a target's other kinds. */
interface FoundPrimitives {
  readonly kinds: PerKind<ListedPrimitives>;
  /** Why something new could not be counted. */
  readonly uncounted: CounterFault | undefined;
}

/** Judges what a target lists beside tools, each kind for itself; what could not be listed or counted stays as it was. */
export async function listPrimitives(
  place: ServerTargetSettings,
  raw: ListedServer,
  ports: RefreshPorts,
): Promise<FoundPrimitives> {
  const { store, loadCounter } = ports;
  let uncounted: CounterFault | undefined;
  const found: Partial<Record<OtherKind, ListedPrimitives>> = {};
  for (const kind of OTHER_KINDS) {
    const lists = FORMS[kind].map((form) => entriesOf(raw, form));
    const failed = lists.flatMap(({ form, entries }) => {
      if (entries.ok) return [];
      // A server that did not answer at all is told of once.
      if (entries === raw.tools) return [METHODS[form]];
      ports.log(
        `${place.server.name}: ${METHODS[form]}: ${entries.reason.message}: ${entries.reason.detail}`,
      );
      return [METHODS[form]];
    });
    const last = store.listing(sourceOf(place, kind));
    const ingested =
      failed.length === lists.length
        ? ok(last)
        : await ingestPrimitives(
            kind,
            lists.map(({ form, entries }) => ({ form, entries: entries.ok ? entries.value : undefined })),
            place.server,
            last,
            {
              loadCounter,
              pause: ports.pause,
              recall: (key) => store.recall(key),
              keep: (key, judged, parts) => {
                store.keep(key, judged, parts);
              },
              definition: (hash) => store.definition(hash),
            },
          );
    const listing = ingested.ok ? ingested.value : last;
    if (!ingested.ok) uncounted = ingested.reason;
    else if (listing !== undefined && failed.length < lists.length) {
      store.saveListing(sourceOf(place, kind), listing, ports.nowMs());
    }
    if (listing !== undefined || failed.length > 0) {
      found[kind] = { listing, tools: listing?.tools ?? [], failed };
    }
  }
  return { kinds: found, uncounted };
}
