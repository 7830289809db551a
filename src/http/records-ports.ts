import type { Coverage } from "../records/grant/coverage.ts";
import type { ReaderGrants } from "../records/grant/access.ts";
import { ManifestCache } from "../records/grant/manifest-cache.ts";
import { readManifestTexts } from "../records/grant/read-manifest-texts.ts";
import { ReaderStore } from "../records/grant/reader-store.ts";
import { createSeal, NONCE_BYTES, type Seal } from "../records/seal/seal.ts";
import type { ServerPorts } from "../records/server/ports.ts";
import { D1Source } from "../records/source/d1-source.ts";
import type { LearnedSource } from "../records/source/learned-source.ts";
import { LearnedStore } from "../records/source/learned-store.ts";
import type { ReadSource } from "../records/source/read-source.ts";
import { type ExternalIo, learnSources, openSources } from "../records/source/sources-of.ts";
import { BodyStore } from "../records/store/body-store.ts";
import { D1SqlStore } from "../records/store/d1-sql-store.ts";
import type { HttpContext } from "./bindings.ts";
import { buffers } from "./buffers.ts";
import { logFor } from "./log.ts";
import { envLookup } from "./scrubber.ts";

/** The same for everyone, so one cache serves the isolate. */
export const manifests = new ManifestCache();

export function readerStore(c: HttpContext): ReaderStore {
  return new ReaderStore(c.env.DB, { manifests, readTexts: readManifestTexts });
}

/** The embedded resource server over what a bearer's grants cover. */
export function serverPorts(c: HttpContext, coverage: Coverage, seal = sealOf(c)): ServerPorts {
  return {
    coverage,
    sql: new D1SqlStore(c.env.DB),
    bodies: new BodyStore(c.env.ARTIFACTS),
    seal,
    now: () => Date.now(),
    log: (error) => {
      logFor(c)(error instanceof Error ? (error.stack ?? error.message) : String(error));
    },
  };
}

/** Where the five tools read for this bearer; nothing where its grants name nothing that the configuration has. */
export function sourceOf(
  c: HttpContext,
  { whole, embedded, external, learned }: ReaderGrants,
): ReadSource | undefined {
  return openSources(
    c.get("config"),
    { holder: whole.holder, embedded, external, learned },
    {
      ...externalIo(c, (told) => {
        c.executionCtx.waitUntil(keepLearned(c, [told]));
      }),
      embedded: (coverage, seal) => new D1Source(serverPorts(c, coverage, seal), () => c.get("requestId")),
      seal: sealOf(c),
    },
  );
}

/** Learns what these sources have and keeps it, for a bearer that was just made. It never throws, whatever is down. */
export async function learnGranted(c: HttpContext, external: ReaderGrants["external"]): Promise<void> {
  if (external.length === 0) return;
  const told: LearnedSource[] = [];
  await learnSources(
    c.get("config"),
    { external },
    externalIo(c, (each) => told.push(each)),
  );
  await keepLearned(c, told);
}

function externalIo(c: HttpContext, keep: (told: LearnedSource) => void): ExternalIo {
  return {
    fetch: (url, init) => fetch(url, init),
    buffers,
    allowLoopback: c.env.LOOMGATE_DEVELOPMENT !== undefined,
    lookup: envLookup(c.env),
    now: () => Date.now(),
    log: logFor(c),
    keep,
  };
}

async function keepLearned(c: HttpContext, told: readonly LearnedSource[]): Promise<void> {
  try {
    await new LearnedStore(c.env.DB).keep(told);
  } catch (error) {
    logFor(c)(`what sources of records have could not be kept: ${String(error)}`);
  }
}

function sealOf(c: HttpContext): Seal {
  const random = () => crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  return createSeal(c.get("keys").cursor, random, () => Date.now());
}
