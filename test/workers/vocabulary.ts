import { env } from "cloudflare:workers";
import { contentHash } from "../../src/catalog/snapshot/snapshot-store.ts";
import { readVocabulary } from "../../src/http/vocabulary-asset.ts";

/** What the object that the Worker exports counts by. */
export const vocabulary = () => readVocabulary(env.ASSETS, contentHash);
