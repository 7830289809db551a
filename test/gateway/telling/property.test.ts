import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UpstreamFailure } from "../../../src/errors.ts";
import { readEntry, writeEntry } from "../../../src/outbox/entry.ts";
import { fail, ok } from "../../../src/result.ts";
import { fakeCatalog, fakeId } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { run } from "../controlled.ts";
import { expectWhole, onlyEntry } from "./told.ts";

/** In every text that is not ours, so that it shows wherever one gets through. */
const FOREIGN = "§";

const foreign = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => `${text}${FOREIGN}${text}`);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    foreign,
    fc.boolean(),
    fc.double(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(foreign, tie("value"), { maxKeys: 3 }),
  ),
})).value;

const FREE = { namespace: "github", name: "free", inputSchema: { type: "object" } };
const STRICT = {
  namespace: "github",
  name: "strict",
  inputSchema: { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false },
  annotations: { readOnlyHint: true },
};
const CATALOG = fakeCatalog([FREE, STRICT]);

const outcome = fc.constantFrom("not_dispatched", "completed", "unknown");
const failure = fc
  .tuple(
    outcome,
    foreign,
    fc.oneof(
      fc.constantFrom(
        ...(
          [
            "timeout",
            "cancelled",
            "unreachable",
            "unauthorized",
            "forbidden",
            "unknown_tool",
            "too_large",
            "refused_address",
            "refused_redirect",
            "protocol",
          ] as const
        ).map((reason) => ({ reason })),
      ),
      fc.record({ reason: fc.constant("http_status"), status: fc.integer() }),
      fc.record({ reason: fc.constant("rpc_error"), code: fc.oneof(fc.integer(), fc.double()) }),
      fc.record({
        reason: fc.constant("rate_limited"),
        retryAfterSeconds: fc.option(fc.double()),
      }),
    ),
  )
  .map(([known, detail, cause]) => Object.assign({ outcome: known, detail }, cause) as UpstreamFailure);

const result = fc.oneof(
  fc.record({
    content: fc.array(fc.record({ type: fc.constant("text"), text: foreign }), { maxLength: 3 }),
    isError: fc.boolean(),
  }),
  fc.record({
    content: fc.constant([{ type: "text", text: `${FOREIGN} long `.repeat(1500) }]),
    structuredContent: fc.dictionary(foreign, json, { maxKeys: 3 }),
  }),
  fc.dictionary(foreign, json, { maxKeys: 3 }),
  fc.record({ content: json }),
);

const toolId = fc.oneof(foreign, fc.constantFrom(fakeId(FREE), fakeId(STRICT)));
const call = fc.oneof(
  fc.record({
    tool: fc.constant("tool_execute"),
    args: fc.oneof(
      json,
      fc.record(
        { tool_id: toolId, args: fc.oneof(json, fc.dictionary(foreign, json)), dry_run: fc.boolean() },
        { requiredKeys: ["tool_id"] },
      ),
      fc.record({ tool_id: toolId, args: fc.record({ n: fc.integer() }) }),
    ),
  }),
  fc.record({
    tool: fc.constant("tool_browse"),
    args: fc.oneof(json, fc.record({ query: foreign }), fc.record({ path: foreign.map((it) => `/${it}`) })),
  }),
  fc.record({
    tool: fc.constant("tool_view"),
    args: fc.oneof(json, fc.record({ handle: foreign, selector: fc.constant({ type: "head" }) })),
  }),
);
const gateway = fc.constantFrom(
  {},
  { tolerant_args: true },
  { cache: { read_only: true } },
  { retry: { max_attempts: 3, base_delay_ms: 1 } },
  { policy: [{ match: {}, action: "deny", reason: FOREIGN }] },
  { policy: [{ match: {}, action: "require_approval", reason: FOREIGN }] },
);

describe("whatever is called and however it ends", () => {
  it("exactly one entry is told: it reads back, is whole, and has no text of anybody's in it", async () => {
    await fc.assert(
      fc.asyncProperty(
        call,
        gateway,
        fc.array(fc.oneof(failure.map(fail), result.map(ok)), { minLength: 1, maxLength: 3 }),
        async ({ tool, args }, controls, answers) => {
          const left = [...answers];
          const caller = fakeCaller({ principal: FOREIGN });
          const { surface } = run(
            controls,
            { trust_hints: true },
            { catalog: CATALOG, answer: () => left.shift() ?? answers[0] ?? ok({}) },
            caller,
          );
          await surface.call(tool, args, caller.context, {
            requestKey: FOREIGN,
            idempotencyKey: FOREIGN,
          });
          const entry = onlyEntry(caller.told);
          expectWhole(entry);
          const text = writeEntry(entry);
          if (!text.ok) throw new Error(text.reason);
          expect(readEntry(text.value)).toEqual(ok(entry));
          expect(text.value).not.toContain(FOREIGN);
          expect(caller.settles()).toBe(1);
        },
      ),
      { numRuns: 400 },
    );
  });
});
