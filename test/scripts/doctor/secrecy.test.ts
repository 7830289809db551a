import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClientSeen } from "../../../scripts/doctor/deployment/client.ts";
import type { Observations, OperatorSeen } from "../../../scripts/doctor/deployment/look.ts";
import type { Seen } from "../../../scripts/doctor/deployment/seen.ts";
import { examine } from "../../../scripts/doctor/examine.ts";
import { reportLines, reportOf } from "../../../scripts/doctor/report.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";
import { VERSION } from "../../../src/version.ts";
import { answers, fakeDeployment, type Handler, HEALTHY_STATUS, mcp, NOW_MS } from "./fake-deployment.ts";
import { judged } from "./visit.ts";

const SECRETS = [
  "the-operators-own-bearer-0123456789",
  "lg_client_eyJ2IjoxLCJrIjoiMmRjOGFjYTYiLCJkIjoiY2xpZW50In0_abcdefghijklmnopqrstuvwx",
  'a secret "with" {marks}\\',
  "p4ss/w0rd+of=the&upstream",
];
const scrubber = createScrubber(SECRETS);

/** A secret as an answer may hold it. */
const secretTexts = fc
  .tuple(
    fc.constantFrom(...SECRETS),
    fc.constantFrom<(secret: string) => string>(
      (secret) => secret,
      encodeURIComponent,
      (secret) => JSON.stringify(secret).slice(1, -1),
      (secret) => `Bearer ${secret}`,
      (secret) => `${"x".repeat(150)}${secret}`,
      (secret) => `\u202e${secret}\u0000`,
    ),
  )
  .map(([secret, dress]) => dress(secret));
const hostileTexts = fc.oneof(
  fc.string({ unit: "binary" }),
  secretTexts,
  fc.constantFrom(
    "__proto__",
    "\ud800",
    "\u001b[2J",
    "<|endoftext|>",
    "x".repeat(10_000),
    "ok",
    "pending",
    "client",
  ),
);
const anything = fc.jsonValue();
const hostileJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    hostileTexts,
    fc.double(),
    fc.constantFrom(null, true, 0, -1, 1e308),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        hostileTexts,
        fc.constantFrom(
          "status",
          "servers",
          "reasons",
          "catalog",
          "health",
          "last_fault",
          "code",
          "name",
          "tokens",
        ),
      ),
      tie("value"),
      { maxKeys: 5 },
    ),
  ),
})).value;

/** Members that the doctor looks at, each with anything in it. */
const shaped = fc.record(
  {
    status: fc.oneof(fc.constantFrom("ok", "degraded", "failing", "misconfigured"), hostileTexts),
    version: hostileTexts,
    reasons: fc.array(hostileJson, { maxLength: 5 }),
    as_of: hostileJson,
    catalog: fc.record({ age_s: fc.double(), failure: hostileJson, pin: hostileJson }, { requiredKeys: [] }),
    servers: fc.array(
      fc.record(
        {
          name: hostileJson,
          status: hostileJson,
          reason: hostileJson,
          skipped: fc.double(),
          health: hostileJson,
          target: fc.constantFrom("configured", "candidate"),
          candidate: fc.oneof(
            hostileJson,
            fc.record(
              {
                status: fc.oneof(fc.constantFrom("listed", "rejected"), hostileJson),
                comparison: fc.oneof(fc.constantFrom("identical", "breaking", "unknown"), hostileJson),
                reason: hostileJson,
              },
              { requiredKeys: [] },
            ),
          ),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 30 },
    ),
    ledger: fc.record({ dropped: fc.double(), unreadable: hostileJson }, { requiredKeys: [] }),
    tokens: fc.array(fc.oneof(hostileJson, fc.record({ name: hostileTexts, expires_at_s: fc.double() })), {
      maxLength: 30,
    }),
    approvals: fc.array(hostileJson),
    tools: fc.array(
      fc.oneof(
        hostileJson,
        fc.record({ id: hostileTexts, server: hostileTexts, upstream_name: hostileTexts }),
      ),
    ),
    hash: hostileJson,
    next: hostileJson,
    resource: hostileJson,
    failure: hostileJson,
  },
  { requiredKeys: [] },
);

const bodies = fc.oneof(
  shaped.map((value) => JSON.stringify(value)),
  hostileJson.map((value) => JSON.stringify(value) ?? ""),
  anything.map((value) => JSON.stringify(value)),
  hostileTexts,
  fc.constantFrom("# EOF", "[".repeat(20_000)),
);

/** What was seen, without known secrets, as the asking hands it on. */
const seens: fc.Arbitrary<Seen> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        status: fc.oneof(fc.constant(200), fc.constantFrom(302, 401, 403, 404, 500), fc.integer()),
        contentType: hostileTexts,
        location: fc.oneof(hostileTexts, fc.webUrl()),
        challenge: fc.oneof(
          hostileTexts,
          hostileTexts.map((text) => `Bearer resource_metadata="${text}"`),
        ),
        text: bodies,
      })
      .map(({ status, contentType, location, challenge, text }) => ({
        kind: "answer" as const,
        status,
        contentType: scrubber.text(contentType),
        location: scrubber.text(location),
        challenge: scrubber.text(challenge),
        text: scrubber.text(text),
      })),
  },
  fc.record({ kind: fc.constantFrom("unreachable" as const, "broken" as const), code: hostileTexts }),
  fc.record({ kind: fc.constant("timeout" as const), timeoutMs: fc.nat() }),
  fc.record({ kind: fc.constant("too_large" as const), maxBytes: fc.nat() }),
);

const operators: fc.Arbitrary<OperatorSeen> = fc.record(
  {
    refresh: seens,
    status: seens,
    tokens: seens,
    approvals: seens,
    metrics: seens,
    catalog: fc.array(seens, { maxLength: 3 }),
  },
  { requiredKeys: ["status", "tokens", "approvals", "metrics", "catalog"] },
);
const clients: fc.Arbitrary<ClientSeen> = fc.oneof(
  fc.record({ tools: fc.array(hostileJson), browse: hostileJson }).map(({ tools, browse }) => ({
    kind: "served" as const,
    tools: tools.map((tool) => scrubber.value(tool)),
    browse: scrubber.value(browse),
  })),
  fc.record(
    {
      kind: fc.constant("failed" as const),
      step: fc.constantFrom("initialize" as const, "tools/list" as const, "tool_browse" as const),
      seen: seens,
    },
    { requiredKeys: ["kind", "step"] },
  ),
);
const healthy: Seen = {
  kind: "answer",
  status: 200,
  contentType: "application/json",
  location: "",
  challenge: "",
  text: JSON.stringify({ status: "ok", version: VERSION }),
};
const observations: fc.Arbitrary<Observations> = fc.record(
  {
    origin: fc.constantFrom(
      "https://gateway.example.com",
      "http://127.0.0.1:1",
      "http://gateway.example.com",
    ),
    health: fc.oneof(fc.constant(healthy), seens),
    noBearer: seens,
    metadata: seens,
    strangeOrigin: seens,
    operator: operators,
    client: clients,
  },
  { requiredKeys: ["origin", "health"] },
);

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\ufeff]/;

describe("whatever was seen of a deployment", () => {
  it("is judged without a throw, in lines that are few, short, plain and without a secret", () => {
    fc.assert(
      fc.property(observations, (seen) => {
        const report = reportOf(judged(seen), scrubber);
        const lines = reportLines(report);
        const printed = [...lines, JSON.stringify(report)].join("\n");
        for (const secret of SECRETS) {
          expect(printed).not.toContain(secret);
          expect(printed).not.toContain(encodeURIComponent(secret));
        }
        expect(lines.length).toBeLessThan(200);
        for (const line of lines) {
          expect(line.length).toBeLessThan(4_000);
          expect(line).not.toMatch(UNSEEN);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a deployment that gives back whatever it is shown", () => {
  let folder: string;
  const variable = "the-value-of-a-variable-of-an-upstream";
  const literal = "0123456789-literal-in-the-file";
  const literalOfCandidate = "9876543210-literal-of-the-candidate";
  const bearers = { OPERATOR_TOKEN: SECRETS[0] ?? "", LOOMGATE_TOKEN: SECRETS[1] ?? "" };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "loomgate-doctor-"));
    const headers = { Authorization: "Bearer ${env:UPSTREAM}", "X-API-Key": literal };
    const candidate = { url: "https://b.example.com", headers: { "X-API-Key": literalOfCandidate } };
    const config = { mcpServers: { a: { url: "https://a.example.com", headers, candidate } } };
    writeFileSync(join(folder, "loomgate.jsonc"), JSON.stringify(config));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const run = async (overrides: Readonly<Record<string, Handler>>): Promise<string> => {
    const deployment = await fakeDeployment(overrides);
    try {
      const report = await examine(
        {
          configFile: undefined,
          stateDir: join(folder, "none"),
          named: {},
          url: deployment.origin,
          json: false,
          strict: false,
          refresh: true,
        },
        {
          cwd: folder,
          env: bearers,
          lookup: (name) => (name === "UPSTREAM" ? variable : undefined),
          nowMs: NOW_MS,
          bounds: { timeoutMs: 5_000, maxBytes: 65_536 },
        },
      );
      return [...reportLines(report), JSON.stringify(report)].join("\n");
    } finally {
      await deployment.close();
    }
  };

  const secrets = [bearers.OPERATOR_TOKEN, bearers.LOOMGATE_TOKEN, variable, literal, literalOfCandidate];
  const everywhere = (dress: (secret: string) => string): Handler => {
    const text = secrets.map((secret) => dress(secret)).join(" ");
    const server = {
      name: text,
      status: text,
      reason: text,
      skipped: 1,
      health: { state: "recovering", last_fault: { code: text } },
      candidate: { status: "rejected", reason: text },
    };
    return answers.json(
      {
        ...HEALTHY_STATUS,
        status: text,
        version: text,
        reasons: secrets.map((secret) => dress(secret)),
        catalog: { failure: text, pin: { mode: "warn", matches: false, actual: text } },
        servers: [server, { ...server, status: "failed" }],
        tokens: secrets.map((secret) => ({ name: dress(secret), kind: "client", expires_at_s: 1 })),
        approvals: text,
        tools: [],
        error: text,
        resource: text,
      },
      200,
      { "X-Echo": encodeURIComponent(text) },
    );
  };

  it.each<[string, (secret: string) => string]>([
    ["as it is", (secret) => secret],
    ["percent-encoded", encodeURIComponent],
    ["in JSON of JSON", (secret) => JSON.stringify(JSON.stringify({ secret }))],
    ["behind 150 others", (secret) => "x".repeat(150) + secret],
    ["in base64", (secret) => Buffer.from(secret).toString("base64")],
  ])("is not helped to show it: %s", async (_name, dress) => {
    const echo = everywhere(dress);
    const printed = await run({
      "*": echo,
      "/health": answers.json({ status: "ok", version: dress(bearers.OPERATOR_TOKEN) }),
      "/mcp": (request, response, body) => {
        if (request.headers.authorization === undefined) return mcp(request, response, body);
        return answers.text(dress(bearers.LOOMGATE_TOKEN), 400)(request, response, body);
      },
    });
    expect(printed).toContain("operator.servers");
    for (const secret of secrets) {
      // Nor its beginning, as a cut would leave it.
      for (const form of [
        secret,
        secret.slice(0, 8),
        encodeURIComponent(secret),
        Buffer.from(secret).toString("base64"),
      ]) {
        expect(printed).not.toContain(form);
      }
    }
  });
});
