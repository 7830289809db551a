import type { ReadSource } from "../source/read-source.ts";

/** What one call of the read surface works with. Made anew for each request of a bearer. */
export interface RecordsContext {
  readonly source: ReadSource;
  /**
   * Where this bearer reads the embedded server by REST (`https://gate.example/v1`), so that its documents without an address of
   * their own have one; null: nowhere.
   */
  readonly baseUrl: string | null;
}
