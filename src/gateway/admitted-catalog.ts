import type { Catalog } from "../catalog/catalog.ts";
import { refusalOf } from "../dispatch/admit.ts";
import type { GatewayFailure } from "../errors.ts";
import { fail, ok, type Result } from "../result.ts";
import type { GatewayPorts } from "./ports.ts";
import type { Admission, AdmitAsk, RequestContext } from "./request-context.ts";

type Refusal = Extract<Admission, { readonly admitted: false }>;

/** Something made of a catalog that the caller may be answered from, and what `admit` said to it. */
export interface AdmittedMaking<Made> {
  readonly made: Made;
  readonly admission: Exclude<Admission, Refusal>;
}

/** What is done with a catalog before and after the caller is let in. */
export interface CatalogUse<Made> {
  /** How a failure names what was asked for, and what was called. */
  readonly path: string;
  readonly metaTool: string;
  /** Makes something of the catalog; a failure ends it, and `admit` is not asked for it. */
  readonly make: (catalog: Catalog) => Promise<Result<Made, GatewayFailure>>;
  /** What `admit` is asked, with the version of the catalog that the thing is of. The same attempt every time. */
  readonly ask: (made: Made, catalog: Catalog) => AdmitAsk;
  /** Sees a refusal first, and says what the caller is told where that is not the refusal itself. */
  readonly refused?: (refusal: Refusal, made: Made) => Promise<GatewayFailure | undefined>;
}

/**
 * Works on a catalog and asks `admit` once whether the caller may go on. Where the principal has met a newer catalog, that
 * one is loaded and everything is done again: what was shown before must not go back.
 */
export async function withAdmittedCatalog<Made>(
  { path, metaTool, make, ask, refused }: CatalogUse<Made>,
  context: RequestContext,
  { catalogs }: Pick<GatewayPorts, "catalogs">,
): Promise<Result<AdmittedMaking<Made>, GatewayFailure>> {
  let loaded = await catalogs.current();
  for (let attempt = 1; ; attempt += 1) {
    if (!loaded.ok) return notReady(path, loaded.reason.detail);
    const catalog = loaded.value;
    const made = await make(catalog);
    if (!made.ok) return made;
    const admission = await context.admit(ask(made.value, catalog));
    if (!admission.admitted) {
      return fail((await refused?.(admission, made.value)) ?? refusalOf(admission, path, metaTool));
    }
    if (!admission.stale || admission.newestGeneration === null) return ok({ made: made.value, admission });
    if (attempt > 1) return notReady(path, "the newer catalog could not be loaded");
    loaded = await catalogs.atLeast(admission.newestGeneration);
  }
}

function notReady(path: string, detail: string): Result<never, GatewayFailure> {
  return fail({ reason: "not_ready", path, what: "catalog", detail });
}
