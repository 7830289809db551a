import type { D1Migration } from "cloudflare:test";
import type * as Worker from "../../src/worker.ts";
import type { Bindings } from "../../src/http/bindings.ts";

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof Worker;
    }
    interface Env extends Bindings {
      /** The migrations as the test runner reads them. */
      readonly TEST_MIGRATIONS: D1Migration[];
    }
  }
}
