import { isJsonArray, memberOf } from "../../../src/json.ts";
import { TOOLS_LIST_MAX_TOKENS, TOOLS_LIST_PAIR_MAX_TOKENS } from "../../../src/limits.ts";
import { fitsTokens, type TokenCounter } from "../../../src/tokens/token-counter.ts";
import type { Advice } from "../advice.ts";
import type { ClientSeen } from "../deployment/client.ts";
import { type Seen, wordsOf } from "../deployment/seen.ts";
import { failed, type Finding, passed, skipped } from "../finding.ts";
import { shown } from "../shown.ts";
import { statusOf } from "./routes.ts";

interface StepProblem {
  readonly what: string;
  readonly mend: string;
}

const META_TOOLS = ["tool_browse", "tool_execute", "tool_view"];
/** Those of the other kinds: there where a server has any of it. */
const PAIRS = [
  ["resource_browse", "resource_read"],
  ["prompt_browse", "prompt_get"],
];

/** What a model's client meets: the handshake, the meta-tools within their budget, and an answer to browsing. */
export function judgeClient(seen: ClientSeen, counter: TokenCounter, advice: Advice): readonly Finding[] {
  if (seen.kind === "served") {
    return [
      passed("client.session", "a client can initialize a session"),
      judgeTools(seen.tools, counter),
      judgeBrowse(seen.browse, advice),
    ];
  }
  const { step, tools } = seen;
  const problem = stepProblem(seen.seen, advice);
  switch (step) {
    case "initialize":
      return [failed("client.session", { subject: "initialize", ...problem })];
    case "tools/list":
      return [
        passed("client.session", "a client can initialize a session"),
        failed("client.tools", { subject: "tools/list", ...problem }),
      ];
    case "tool_browse":
      return [
        passed("client.session", "a client can initialize a session"),
        judgeTools(tools ?? [], counter),
        failed("client.browse", { subject: "tool_browse", ...problem }),
      ];
  }
}

/** A client without a bearer cannot be tried. */
export function noClient(): Finding {
  return skipped("client.session", "no client's bearer to try with", "set LOOMGATE_TOKEN to one");
}

const REFUSALS: ReadonlyMap<number, StepProblem> = new Map([
  [
    401,
    {
      what: "401: the client's bearer is revoked, expired, or of another LOOMGATE_KEY",
      mend: "`npm run token -- create --name N` makes a new one",
    },
  ],
  [
    403,
    {
      what: "403: this bearer may not use /mcp: it is no client's",
      mend: "set LOOMGATE_TOKEN to a token of kind client",
    },
  ],
]);

function stepProblem(seen: Seen | undefined, { log }: Advice): StepProblem {
  if (seen === undefined) {
    return {
      what: "the answer is not what MCP wants",
      mend: "deploy this checkout; look for a proxy that changes answers",
    };
  }
  const refusal = REFUSALS.get(statusOf(seen) ?? 0);
  if (refusal !== undefined) return refusal;
  return {
    what: wordsOf(seen),
    mend: `ask again; if it stays so, the Worker's log says why (${log})`,
  };
}

function judgeTools(tools: readonly unknown[], counter: TokenCounter): Finding {
  const names = new Set(tools.map((tool) => memberOf(tool, "name")));
  const missing = META_TOOLS.filter((name) => !names.has(name));
  if (missing.length > 0) {
    return failed("client.tools", {
      subject: "tools/list",
      what: `has no ${missing.join(", ")}`,
      mend: "deploy this checkout; look for something else that answers at this address",
    });
  }
  const pairs = PAIRS.filter((pair) => pair.every((name) => names.has(name)));
  const mostTokens = TOOLS_LIST_MAX_TOKENS + pairs.length * TOOLS_LIST_PAIR_MAX_TOKENS;
  if (!fitsTokens(JSON.stringify(tools), mostTokens, counter)) {
    return failed("client.tools", {
      subject: "tools/list",
      what: `costs a model more than ${mostTokens} tokens`,
      mend: "deploy this checkout; look for something between that adds tools",
    });
  }
  return passed("client.tools", `tools/list has the meta-tools, within ${mostTokens} tokens`);
}

function judgeBrowse(answer: unknown, { log }: Advice): Finding {
  const content = memberOf(answer, "content");
  const text = isJsonArray(content) ? memberOf(content[0], "text") : undefined;
  if (memberOf(answer, "isError") === true || typeof text !== "string") {
    return failed("client.browse", {
      subject: "tool_browse",
      what: `answers with an error: ${errorCode(text)}`,
      mend: `ask again; if it stays so, the Worker's log says why (${log})`,
    });
  }
  return passed("client.browse", "tool_browse answers");
}

function errorCode(text: unknown): string {
  if (typeof text !== "string") return "no text";
  try {
    const value: unknown = JSON.parse(text);
    const code = memberOf(value, "error");
    return typeof code === "string" ? shown(code) : shown(text);
  } catch {
    return shown(text);
  }
}
