import { BUNDLED_CONFIG_TEXT, configTextOf } from "../bundled-config.ts";
import { RefreshingCatalog } from "../catalog/refresh/catalog-object.ts";
import { contentHash } from "../catalog/snapshot/snapshot-store.ts";
import { LEDGER_OBJECT_NAME } from "../outbox/delivery.ts";
import type { Bindings } from "./bindings.ts";
import { listUpstream } from "./list-upstream.ts";
import { neighbourSource } from "./neighbour-source.ts";
import { oneLine } from "../scrub/log-line.ts";
import { readVocabulary } from "./vocabulary-asset.ts";

/** The catalog's object with the upstreams at its hand: the rooms that it joins do not know each other. */
export class CatalogObject extends RefreshingCatalog {
  constructor(ctx: DurableObjectState, env: Bindings & Cloudflare.Env) {
    super(ctx, env, {
      kv: env.CATALOG,
      neighbours: neighbourSource(env.ASSETS, (text) => {
        console.error(oneLine(text));
      }),
      vocabulary: () => readVocabulary(env.ASSETS, contentHash),
      ownConfigText: configTextOf(env, BUNDLED_CONFIG_TEXT),
      list: (config, server, target) =>
        listUpstream(config, server, target, env, (url, init) => fetch(url, init)),
      // Each delivery has its own stub, since one that threw is dead.
      ledger: {
        deliver: async (delivery) => env.LEDGER.getByName(LEDGER_OBJECT_NAME).deliver(delivery),
      },
    });
  }
}
