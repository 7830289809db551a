import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { EXACT_NUMBERS_MAX_COUNT } from "../../../src/limits/exact-json.ts";
import { DEFAULT_FRAME_LIMIT } from "../../../src/spine/frame/frame-limit.ts";
import {
  FRAME_PROBLEM_REASONS,
  type FrameProblem,
  frameProblemAnswer,
  frameProblemError,
} from "../../../src/spine/frame/frame-problem.ts";
import { parseFrame } from "../../../src/spine/frame/frame.ts";
import { MESSAGE_KINDS, type Message } from "../../../src/spine/frame/message.ts";
import { requestIdText } from "../../../src/spine/frame/request-id.ts";
import { brokenText, jsonText, numberText } from "../../exact-json/json-texts.ts";
import { limitOf } from "./limit-of.ts";

function messageOf(text: string): Message {
  const frame = parseFrame(text, DEFAULT_FRAME_LIMIT);
  if (!frame.ok) throw new Error(frame.reason.reason);
  expect(frame.value.text).toBe(text);
  return frame.value.message;
}

function problemOf(text: string): FrameProblem | undefined {
  const frame = parseFrame(text, DEFAULT_FRAME_LIMIT);
  return frame.ok ? undefined : frame.reason;
}

const V = '"jsonrpc":"2.0"';
const ERROR = '"error":{"code":-1,"message":"m"}';

describe("a message", () => {
  it.each([
    [`{${V},"id":1,"method":"ping"}`, { kind: "request", id: 1, method: "ping" }],
    [
      `{${V},"id":"","method":"a/b","params":{"x":1}}`,
      { kind: "request", id: "", method: "a/b", params: { x: 1 } },
    ],
    [`{${V},"method":"n","params":[]}`, { kind: "notification", method: "n", params: [] }],
    [`{${V},"id":1.0,"result":null}`, { kind: "success", id: new ExactNumber("1.0"), result: null }],
    [`{${V},"id":-1,"result":[1e3]}`, { kind: "success", id: -1, result: [new ExactNumber("1e3")] }],
    [`{${V},"id":1,${ERROR}}`, { kind: "error", id: 1, error: { code: -1, message: "m" } }],
    [
      `{${V},"id":1,"error":{"code":0,"message":"","data":null,"more":1}}`,
      { kind: "error", id: 1, error: { code: 0, message: "", data: null } },
    ],
    [
      ` {"more":{"id":null},\t${V} ,"id":0,"method":"__proto__"}\r\n`,
      { kind: "request", id: 0, method: "__proto__" },
    ],
  ])("%s is read", (text, message) => {
    expect(messageOf(text)).toStrictEqual(message);
  });

  it("keeps the id, whatever it is, and the numbers of its params", () => {
    const id = fc.oneof(
      numberText,
      fc.string({ unit: "binary" }).map((id) => JSON.stringify(id)),
    );
    fc.assert(
      fc.property(id, numberText, (id, number) => {
        const message = messageOf(`{${V},"id":${id},"method":"m","params":{"n":[${number}]}}`);
        if (message.kind !== "request") throw new Error(message.kind);
        expect(requestIdText(message.id)).toBe(id);
        expect(exactJsonText(message.params)).toBe(`{"n":[${number}]}`);
      }),
    );
  });

  it("is a sealed triple", () => {
    const frame = parseFrame(`{${V},"id":1,"method":"ping"}`, DEFAULT_FRAME_LIMIT);
    expect(frame.ok && Object.isFrozen(frame.value)).toBe(true);
    expect(frame.ok && frame.value.value).toEqual({ jsonrpc: "2.0", id: 1, method: "ping" });
  });

  it("is not made by what a prototype adds", () => {
    expect(problemOf(`{"__proto__":{${V},"id":1,"method":"ping"}}`)).toEqual({ reason: "wrong_version" });
    expect(problemOf(`{${V},"__proto__":{"id":1,"method":"ping"}}`)).toEqual({
      reason: "no_method_and_no_outcome",
    });
  });
});

const MANY_NUMBERS = (() => {
  const numbers = Array.from({ length: EXACT_NUMBERS_MAX_COUNT + 1 }, (_, at) => `${at + 1}e-400`);
  return `{${V},"id":1,"method":"a","params":[${numbers.join(",")}]}`;
})();

/** At least one text for each reason; the reader's own, `not_utf8`, has its test with the lines. */
const REFUSED: readonly (readonly [string, FrameProblem])[] = [
  ["", { reason: "empty" }],
  [" \t\r\n", { reason: "empty" }],
  ["{", { reason: "syntax" }],
  ["\uFEFF{}", { reason: "syntax" }],
  ["\u00a0", { reason: "syntax" }],
  [`{${V},"id":1,"method":"a","method":"a"}`, { reason: "duplicate_member", path: "/method" }],
  [`{${V},"id":1,"\\u0069d":1,"method":"a"}`, { reason: "duplicate_member", path: "/id" }],
  [
    `{${V},"method":"a","params":{"a":[{"b":1,"b":1}]}}`,
    { reason: "duplicate_member", path: "/params/a/0/b" },
  ],
  [MANY_NUMBERS, { reason: "too_many_numbers" }],
  ["[]", { reason: "not_an_object" }],
  [`[{${V},"id":1,"method":"a"}]`, { reason: "not_an_object" }],
  ["null", { reason: "not_an_object" }],
  ["1.0", { reason: "not_an_object" }],
  ['"{}"', { reason: "not_an_object" }],
  ["{}", { reason: "wrong_version" }],
  ['{"jsonrpc":"1.0","id":1,"method":"a"}', { reason: "wrong_version" }],
  ['{"jsonrpc":2.0,"id":1,"method":"a"}', { reason: "wrong_version" }],
  ['{"jsonrpc":["2.0"],"id":1,"method":"a"}', { reason: "wrong_version" }],
  [`{${V},"id":1,"method":"a","result":1}`, { reason: "method_with_outcome" }],
  [`{${V},"id":1,"method":"a",${ERROR}}`, { reason: "method_with_outcome" }],
  [`{${V},"id":1,"method":null,"result":null}`, { reason: "method_with_outcome" }],
  [`{${V},"id":1,"result":null,${ERROR}}`, { reason: "result_with_error" }],
  [`{${V},"id":1,"result":1,"error":null}`, { reason: "result_with_error" }],
  [`{${V},"id":1,"params":{}}`, { reason: "params_without_method" }],
  [`{${V},"id":1,"params":{},"result":1}`, { reason: "params_without_method" }],
  [`{${V},"id":1}`, { reason: "no_method_and_no_outcome" }],
  [`{${V},"id":1,"method":1}`, { reason: "method_not_string" }],
  [`{${V},"id":1,"method":null}`, { reason: "method_not_string" }],
  [`{${V},"id":1,"method":""}`, { reason: "method_empty" }],
  [`{${V},"id":1,"method":"a","params":null}`, { reason: "params_not_structured" }],
  [`{${V},"id":1,"method":"a","params":1.0}`, { reason: "params_not_structured" }],
  [`{${V},"method":"a","params":"{}"}`, { reason: "params_not_structured" }],
  [`{${V},"id":1,"error":"m"}`, { reason: "error_not_object" }],
  [`{${V},"id":1,"error":null}`, { reason: "error_not_object" }],
  [`{${V},"id":1,"error":1.0}`, { reason: "error_not_object" }],
  [`{${V},"id":1,"error":{"message":"m"}}`, { reason: "error_code_not_integer" }],
  [`{${V},"id":1,"error":{"code":1.5,"message":"m"}}`, { reason: "error_code_not_integer" }],
  [`{${V},"id":1,"error":{"code":1.0,"message":"m"}}`, { reason: "error_code_not_integer" }],
  [`{${V},"id":1,"error":{"code":"1","message":"m"}}`, { reason: "error_code_not_integer" }],
  [`{${V},"id":1,"error":{"code":1}}`, { reason: "error_message_not_string" }],
  [`{${V},"id":1,"error":{"code":1,"message":{}}}`, { reason: "error_message_not_string" }],
  [`{${V},"id":null,"error":{"code":-32700,"message":"m"}}`, { reason: "uncorrelated_error", code: -32_700 }],
  [`{${V},"result":1}`, { reason: "id_missing" }],
  [`{${V},${ERROR}}`, { reason: "id_missing" }],
  [`{${V},"id":null,"method":"a"}`, { reason: "id_null" }],
  [`{${V},"id":null,"result":1}`, { reason: "id_null" }],
  [`{${V},"id":true,"method":"a"}`, { reason: "id_not_string_or_number" }],
  [`{${V},"id":[1],"result":1}`, { reason: "id_not_string_or_number" }],
  [`{${V},"id":{},${ERROR}}`, { reason: "id_not_string_or_number" }],
];

describe("what is no message", () => {
  it.each(REFUSED.map(([text, problem]) => [text.slice(0, 80), text, problem] as const))(
    "%j is refused with its reason",
    (_, text, problem) => {
      expect(problemOf(text)).toStrictEqual(problem);
    },
  );

  it("has a text above for every reason but the limit and the encoding, which are the reader's too", () => {
    const shown = new Set<string>(REFUSED.map(([, { reason }]) => reason));
    expect(FRAME_PROBLEM_REASONS.filter((reason) => !shown.has(reason))).toEqual(["over_limit", "not_utf8"]);
  });

  it("is too long by its bytes, not its characters, before anything else is said of it", () => {
    const text = `{${V},"method":"€"}`;
    const bytes = text.length + 2;
    expect(parseFrame(text, limitOf(bytes)).ok).toBe(true);
    for (const long of [text, "€€€€€€€€€€".repeat(4), " ".repeat(100)])
      expect(parseFrame(long, limitOf(bytes - 1))).toEqual({
        ok: false,
        reason: { reason: "over_limit", limit_bytes: bytes - 1 },
      });
  });

  it("may nest as deep as the limit allows", () => {
    const depth = 200_000;
    const text = `{${V},"method":"a","params":${"[".repeat(depth)}1.0${"]".repeat(depth)}}`;
    expect(messageOf(text).kind).toBe("notification");
    expect(problemOf("[".repeat(depth))).toEqual({ reason: "syntax" });
  });
});

/** Envelopes with every member there, missing, or of a wrong type. */
const members = fc
  .record(
    {
      jsonrpc: fc.constantFrom('"2.0"', '"2.0"', '"2.0"', "2.0", '"1.0"'),
      id: fc.constantFrom("1", '"a"', "1.0", "null", "{}", "true"),
      method: fc.constantFrom('"m"', '""', "null", "1"),
      params: fc.constantFrom("{}", "[]", "null", "1.0", '"x"'),
      result: fc.constantFrom("null", "{}", "1.0"),
      error: fc.constantFrom(
        '{"code":1,"message":"m"}',
        '{"code":1.5,"message":"m"}',
        '{"code":1}',
        "null",
        "[]",
      ),
    },
    { requiredKeys: [] },
  )
  .map((members) => Object.entries(members).map(([key, value]) => `"${key}":${value}`));
const envelope = members.map((parts) => `{${parts.join(",")}}`);

describe("classification", () => {
  it("is total: anything is one kind or has one reason, and nothing throws", () => {
    const known = new Set<string>([...MESSAGE_KINDS, ...FRAME_PROBLEM_REASONS]);
    const anyText = fc.oneof(envelope, jsonText, brokenText, fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(anyText, (text) => {
        const frame = parseFrame(text, DEFAULT_FRAME_LIMIT);
        expect(known.has(frame.ok ? frame.value.message.kind : frame.reason.reason)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("does not hang on the order of the members", () => {
    const orders = members.chain((parts) =>
      fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })),
    );
    const judge = (parts: readonly string[]): unknown => {
      const frame = parseFrame(`{${parts.join(",")}}`, DEFAULT_FRAME_LIMIT);
      return frame.ok ? frame.value.message : frame.reason;
    };
    fc.assert(
      fc.property(orders, ([one, other]) => {
        expect(judge(one)).toEqual(judge(other));
      }),
    );
  });

  it("is of the first reason in the list's order, where there are several", () => {
    const rank = (reason: FrameProblem["reason"]): number => FRAME_PROBLEM_REASONS.indexOf(reason);
    for (const [text, problem] of [
      [`{"id":null,"method":"","result":1}`, "wrong_version"],
      [`{${V},"id":null,"method":"","params":1,"result":1,"error":1}`, "method_with_outcome"],
      [`{${V},"id":null,"params":1,"result":1,"error":1}`, "result_with_error"],
      [`{${V},"id":null,"params":1,"error":1}`, "params_without_method"],
      [`{${V},"id":null}`, "no_method_and_no_outcome"],
      [`{${V},"id":null,"method":1,"params":1}`, "method_not_string"],
      [`{${V},"id":null,"method":"a","params":1}`, "params_not_structured"],
      [`{${V},"id":null,"error":1}`, "error_not_object"],
      [`{${V},"id":null,"error":{"code":"","message":1}}`, "error_code_not_integer"],
      [`{${V},"id":null,"error":{"code":1,"message":1}}`, "error_message_not_string"],
    ] as const) {
      const found = problemOf(text)?.reason;
      expect(found).toBe(problem);
      expect(rank(problem)).toBeLessThan(rank("id_null"));
    }
  });
});

describe("the answer to what is no frame", () => {
  const problems: readonly FrameProblem[] = [
    ...REFUSED.map(([, problem]) => problem),
    { reason: "over_limit", limit_bytes: 1 },
    { reason: "not_utf8" },
  ];

  it.each(problems.filter(({ reason }) => reason !== "uncorrelated_error"))(
    "$reason: is a code of JSON-RPC and fixed words, its id null",
    (problem) => {
      const error = frameProblemError(problem);
      const isUnread = ["empty", "syntax", "not_utf8"].includes(problem.reason);
      expect(error?.code).toBe(isUnread ? -32_700 : -32_600);
      expect(error?.message).toMatch(/^[A-Z][ -~]{10,60}\.$/);
      expect(JSON.parse(frameProblemAnswer(problem) ?? "")).toEqual({ jsonrpc: "2.0", id: null, error });
    },
  );

  it("is answered by nobody: two peers would go on for ever", () => {
    const answers = problems
      .map((problem) => frameProblemAnswer(problem))
      .filter((text) => text !== undefined);
    expect(answers.length).toBe(problems.length - 1);
    for (const answer of answers) {
      const reread = problemOf(answer);
      expect(reread?.reason).toBe("uncorrelated_error");
      expect(reread && frameProblemError(reread)).toBeUndefined();
      expect(reread && frameProblemAnswer(reread)).toBeUndefined();
    }
  });
});
