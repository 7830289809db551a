import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

const RESETS_MAX_COUNT = 50;

/**
 * Nothing stored anywhere. On a busy machine an object that is being ended may answer once more from what it held, a
 * database and a bucket are such objects too, and a test would find what the one before it left: so it is asked for again
 * until it shows.
 */
export async function freshStorage(): Promise<void> {
  for (let count = 0; count < RESETS_MAX_COUNT; count += 1) {
    await reset();
    if (await isEmpty()) return;
  }
  throw new Error("the storage of the test before is still there");
}

/** The same, with the database's tables. */
export async function freshDatabase(): Promise<void> {
  await freshStorage();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
}

async function isEmpty(): Promise<boolean> {
  const tables = await env.DB.prepare("SELECT 1 FROM sqlite_master LIMIT 1").all();
  if (tables.results.length > 0) return false;
  const [{ objects }, { keys }] = await Promise.all([
    env.ARTIFACTS.list({ limit: 1 }),
    env.CATALOG.list({ limit: 1 }),
  ]);
  return objects.length === 0 && keys.length === 0;
}
