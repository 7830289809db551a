/** Definitions that the listing hands on as they came: judging them is the catalog's business. */
export const STRANGE_TOOLS: readonly unknown[] = [
  null,
  7,
  "tool",
  [],
  {},
  { name: "same" },
  { name: "same", inputSchema: { type: "object" } },
  { name: "dangling", inputSchema: { $ref: "#/$defs/nowhere" }, outputSchema: { $ref: "#/$defs/nowhere" } },
  {
    name: "cyclic",
    inputSchema: { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
  },
  {
    name: "compiled",
    outputSchema: { type: "object", pattern: "^(a+)+$", "x-extra": [1, { deep: null }] },
    icons: 3,
  },
  { name: "other-server:tool", _meta: { "x/y": 1, version: "1.2" }, execution: { taskSupport: "required" } },
  { name: "<|endoftext|>\u0000\ud800", description: "\u202e" },
];
