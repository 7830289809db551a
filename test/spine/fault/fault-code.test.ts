import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FaultCode, KNOWN_FAULT_CODES, readFaultCode } from "../../../src/spine/fault/fault-code.ts";
import { httpStatusCode, numberOfCode, rpcErrorCode } from "../../../src/spine/fault/numbered-code.ts";
import { unwrap } from "../replay/unwrap.ts";

describe("a fault's code", () => {
  it.each([...KNOWN_FAULT_CODES, "a", "0", "_", "__proto__", "constructor", "x".repeat(64)])(
    "may be %s",
    (code) => {
      expect(readFaultCode(code)).toEqual({ ok: true, value: code });
    },
  );

  it.each([
    [""],
    ["A"],
    ["a-b"],
    ["a b"],
    ["a\n"],
    ["é"],
    ["\u0000"],
    ["\ud800"],
    ["١"],
    ["<|endoftext|>"],
    ["x".repeat(65)],
    ["x".repeat(1_000_000)],
    [1],
    [null],
    [["a"]],
  ])("may not be %j", (code: unknown) => {
    expect(readFaultCode(code)).toEqual({ ok: false, reason: "invalid_fault_code" });
  });
});

describe("a code with a number", () => {
  it.each([
    [httpStatusCode(500), "http_status_500"],
    [rpcErrorCode(-32603), "rpc_error_minus_32603"],
    [rpcErrorCode(0), "rpc_error_0"],
    [rpcErrorCode(-0), "rpc_error_0"],
    [rpcErrorCode(Number.MIN_SAFE_INTEGER), "rpc_error_minus_9007199254740991"],
    [httpStatusCode(1.5), "http_status"],
    [rpcErrorCode(2 ** 53), "rpc_error"],
    [rpcErrorCode(1e300), "rpc_error"],
    [rpcErrorCode(Number.NaN), "rpc_error"],
    [rpcErrorCode(-Infinity), "rpc_error"],
  ])("%s is %s", (code, written) => {
    expect(code).toBe(written);
    expect(unwrap(readFaultCode(code))).toBe(written);
  });

  it("gives its number back, for any safe integer", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        expect(numberOfCode(rpcErrorCode(number))).toEqual({ kind: "rpc_error", number });
        expect(numberOfCode(httpStatusCode(number))).toEqual({ kind: "http_status", number });
      }),
    );
  });

  it.each([
    "http_status",
    "rpc_error",
    "rpc_error_",
    "rpc_error_00",
    "rpc_error_minus_",
    "http_status_5x",
    "deadline",
  ])("is not %s", (code) => {
    expect(numberOfCode(unwrap(readFaultCode(code)))).toBeUndefined();
  });

  it("has no more digits than an integer, whoever wrote the code", () => {
    const long: FaultCode = unwrap(readFaultCode(`rpc_error_${"9".repeat(54)}`));
    expect(numberOfCode(long)).toBeUndefined();
  });
});
