import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { objectIn } from "../../support/records-server/data.ts";
import type { RecordsServer } from "../../support/records-server/server.ts";
import { recordedAnswers, startRecorded } from "../../support/records-server/seeded.ts";

const LONG = "long ".repeat(3_000);
/** What the stand-in does not say, or says in its own words. */
const LEFT_OUT = new Set(["url", "links", "message", "request_id", "next_cursor", "next_changes_since"]);
const OWN_WORDS = new Set([
  "evidence_excerpts",
  "score",
  "last_updated",
  "freshness",
  "resource_metadata",
  "next_step",
]);

/** The recording without free text and handles, so that two answers can be compared. */
function bare(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(LONG, "<long x 3000>");
  if (isJsonArray(value)) return value.map(bare);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (LEFT_OUT.has(key) || OWN_WORDS.has(key)) return [];
      // Counts of what the recording has not counted are said by the answers of lists only.
      return key === "meta" && isRecord(member) && Object.keys(member).length === 2
        ? []
        : [[key, bare(member)]];
    }),
  );
}

describe("the stand-in for a resource server", () => {
  let server: RecordsServer;
  beforeAll(async () => {
    server = await startRecorded();
  });
  afterAll(() => server.close());

  it.each(recordedAnswers().map((each) => [each.note, each] as const))(
    "answers as the recorded one did: %s",
    async (_note, { token, path, status, body }) => {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}${path}`, { headers });
      const answer: unknown = await response.json();
      expect(response.status).toBe(status);
      expect(bare(answer)).toMatchObject(objectIn(bare(body)));
      expect(typeof memberOf(answer, "next_cursor")).toBe(typeof memberOf(body, "next_cursor"));
    },
  );
});
