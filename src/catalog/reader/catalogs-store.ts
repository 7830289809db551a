import { fail, ok, type Result } from "../../result.ts";
import type { RefreshingCatalog } from "../refresh/catalog-object.ts";
import type { CatalogObjectPort, CatalogUnreachable } from "./object-port.ts";
import { readPointer } from "../snapshot/pointer.ts";
import type {
  ContentAnswer,
  ContentRequest,
  MoveAnswer,
  MoveRequest,
  NewestAnswer,
  NewestRequest,
  RefreshAnswer,
  RefreshRequest,
} from "../refresh/refresh-contract.ts";

/** What this room adds to the Worker's environment. */
export interface CatalogBindings {
  readonly CATALOG: KVNamespace;
  readonly CATALOGS: DurableObjectNamespace<RefreshingCatalog>;
}

/** What of the platform's namespace is used. */
export interface CatalogNamespace {
  getByName(name: string): {
    refresh(request: RefreshRequest): Promise<RefreshAnswer>;
    move(request: MoveRequest): Promise<MoveAnswer>;
    newest(request: NewestRequest): Promise<NewestAnswer>;
    content(request: ContentRequest): Promise<ContentAnswer>;
  };
}

/** There is one. */
const OBJECT_NAME = "catalog-1";

async function ask<Answer>(call: () => Promise<Answer>): Promise<Result<Answer, CatalogUnreachable>> {
  try {
    return ok(await call());
  } catch (error) {
    return fail({ reason: "catalog_unreachable", detail: String(error) });
  }
}

/** The way to the catalog's object. Each call has its own stub, since one that threw is dead. */
export function catalogObjectPort(catalogs: CatalogNamespace): CatalogObjectPort {
  const stub = () => catalogs.getByName(OBJECT_NAME);
  return {
    refresh: (reason, config) => ask(async () => stub().refresh({ version: 1, reason, config })),
    move: (request) => ask(async () => stub().move(request)),
    newest: async (config) => {
      const answer = await ask(async () => stub().newest({ version: 1, config }));
      return answer.ok ? ok(readPointer(answer.value.pointer)) : answer;
    },
    content: async (kind, hash) => {
      const answer = await ask(async () => stub().content({ version: 1, kind, hash }));
      return answer.ok ? ok(answer.value.bytes) : answer;
    },
  };
}
