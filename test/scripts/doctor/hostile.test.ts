import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../../src/version.ts";
import { answers, fakeDeployment, type Handler } from "./fake-deployment.ts";
import { asks, BOUNDS, judged, SOON, visit, visitOrigin } from "./visit.ts";

const html = answers.text("<!doctype html><title>Sign in</title>", 200, { "Content-Type": "text/html" });
const redirect = answers.text("", 302, { Location: "https://login.example.com/?next=admin" });
const huge = answers.text(`{"tokens":["${"x".repeat(100_000)}"]}`);
const bomb: Handler = (_request, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
  response.end(gzipSync(Buffer.alloc(20_000_000)));
};
const broken: Handler = (_request, response) => {
  response.writeHead(200, { "Content-Length": "1000" });
  response.write("{");
  setTimeout(() => response.destroy(), 20);
};
const dropped: Handler = (request) => {
  request.socket.destroy();
};
const silent: Handler = () => undefined;
const dripping: Handler = (_request, response) => {
  response.writeHead(200, { "Content-Type": "application/json" });
  const drip = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(drip));
};

const HOSTILE: readonly (readonly [string, Handler, RegExp, typeof BOUNDS])[] = [
  ["HTML", html, /200 with a page of HTML/, BOUNDS],
  ["a redirect", redirect, /302, a redirect to login\.example\.com/, BOUNDS],
  ["too much", huge, /more than 65536 bytes/, BOUNDS],
  ["a compressed flood", bomb, /more than 65536 bytes/, BOUNDS],
  ["half an answer", broken, /broke off in the middle/, BOUNDS],
  ["nothing but an end", dropped, /cannot be reached/, BOUNDS],
  ["nothing at all", silent, /did not answer within 1 s/, SOON],
  ["drops without an end", dripping, /did not answer within 1 s/, SOON],
  ["nothing in a body", answers.text(""), /200 with an empty body/, BOUNDS],
  [
    "a status of failure",
    answers.json({ error: "unavailable" }, 503),
    /503 with a body of type application\/json/,
    BOUNDS,
  ],
];

describe.each(HOSTILE)("a deployment that answers %s", (_name, handler, words, bounds) => {
  it("at /health is told of once, and no bearer is shown to it", async () => {
    const { findings, deployment } = await visit({ "*": handler }, { bounds });
    expect(asks(findings)).toEqual(["fail deployment.health"]);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "deployment.health", what: expect.stringMatching(words) as unknown }),
    );
    expect(deployment.bearers.size).toBe(0);
  });

  it("at every other route is told of at each", async () => {
    const health = answers.json({ status: "ok", version: VERSION });
    const { findings } = await visit({ "*": handler, "/health": health }, { bounds });
    expect(asks(findings)).toEqual([
      "fail deployment.challenge",
      "fail deployment.origin",
      "fail operator.status",
      "fail catalog.tools",
      "fail operator.tokens",
      "fail operator.approvals",
      "fail operator.metrics",
      "fail client.session",
    ]);
    for (const check of ["operator.status", "operator.tokens"]) {
      expect(findings).toContainEqual(
        expect.objectContaining({ check, level: "fail", what: expect.stringMatching(words) as unknown }),
      );
    }
  });
});

describe("a host where nothing listens", () => {
  it("is told of with the system's word for it", async () => {
    const gone = await fakeDeployment();
    await gone.close();
    const findings = await visitOrigin(gone.origin);
    expect(asks(findings)).toEqual(["fail deployment.health"]);
    expect(JSON.stringify(findings)).toContain("ECONNREFUSED");
  });
});

describe("a redirect", () => {
  it("is not followed with a bearer, nor without", async () => {
    const other = await fakeDeployment();
    const away = answers.text("", 307, { Location: `${other.origin}/admin/tokens` });
    await visit({ "/admin/tokens": away, "/mcp": away, "/admin/status": away });
    expect(other.requests).toEqual([]);
    await other.close();
  });
});

describe("an address that is http on a public name", () => {
  it("is told of, and nothing is expected of what a bearer opens", () => {
    const origin = "http://gateway.example.com";
    const health = { kind: "answer", status: 200, contentType: "", location: "", challenge: "" } as const;
    const seen = { origin, health: { ...health, text: JSON.stringify({ status: "ok", version: VERSION }) } };
    const findings = judged(seen);
    expect(asks(findings)).toEqual(["fail deployment.address"]);
    expect(findings.some(({ check }) => check.startsWith("operator."))).toBe(false);
  });
});
