/**
 * Recorded answers of the Python original that these ids are compatible with (contextweaver 0.18.1): facts, not code.
 */

/** The input schema that all of `TOOL_IDS` share. */
export const TOOL_IDS_INPUT_SCHEMA = { type: "object", properties: { q: {}, a: {} }, required: ["q"] };

/** Upstream name, inferred namespace, derived name, shape hash, and the id or the rule that forbids one. */
export const TOOL_IDS = [
  {
    upstreamName: "github.create_issue",
    namespace: "github",
    name: "create_issue",
    hash8: "aea9ce2a",
    id: "github:create_issue#aea9ce2a",
    reason: null,
  },
  {
    upstreamName: "slack_send_message",
    namespace: "slack",
    name: "slack_send_message",
    hash8: "8dc6af47",
    id: "slack:slack_send_message#8dc6af47",
    reason: null,
  },
  {
    upstreamName: "read_file",
    namespace: "mcp",
    name: "read_file",
    hash8: "f712682b",
    id: "mcp:read_file#f712682b",
    reason: null,
  },
  {
    upstreamName: "weather.get",
    namespace: "weather",
    name: "get",
    hash8: "68b4105e",
    id: "weather:get#68b4105e",
    reason: null,
  },
  {
    upstreamName: "filesystem/read",
    namespace: "filesystem",
    name: "read",
    hash8: "53cebf6f",
    id: "filesystem:read#53cebf6f",
    reason: null,
  },
  { upstreamName: "a.b/c", namespace: "a", name: "b/c", hash8: "a75f2339", id: null, reason: "bad_name" },
  {
    upstreamName: ".hidden",
    namespace: "mcp",
    name: ".hidden",
    hash8: "6c117ff2",
    id: null,
    reason: "bad_name",
  },
  { upstreamName: "x.", namespace: "x", name: "x.", hash8: "70c941d8", id: "x:x.#70c941d8", reason: null },
  { upstreamName: "/abs", namespace: "mcp", name: "/abs", hash8: "35b88128", id: null, reason: "bad_name" },
  {
    upstreamName: "__init__",
    namespace: "mcp",
    name: "__init__",
    hash8: "2ec43cdc",
    id: "mcp:__init__#2ec43cdc",
    reason: null,
  },
  {
    upstreamName: "_a_b",
    namespace: "mcp",
    name: "_a_b",
    hash8: "0335e1ac",
    id: "mcp:_a_b#0335e1ac",
    reason: null,
  },
  {
    upstreamName: "a__b",
    namespace: "a",
    name: "a__b",
    hash8: "ff57c553",
    id: "a:a__b#ff57c553",
    reason: null,
  },
  {
    upstreamName: "GitHub.create",
    namespace: "GitHub",
    name: "create",
    hash8: "6f06e7df",
    id: null,
    reason: "bad_namespace",
  },
  {
    upstreamName: "GITHUB_do_it",
    namespace: "GITHUB",
    name: "GITHUB_do_it",
    hash8: "546f23d6",
    id: null,
    reason: "bad_namespace",
  },
  {
    upstreamName: "a/b.c",
    namespace: "a/b",
    name: "c",
    hash8: "a24b1384",
    id: null,
    reason: "bad_namespace",
  },
  {
    upstreamName: "get-weather",
    namespace: "mcp",
    name: "get-weather",
    hash8: "880c7b26",
    id: "mcp:get-weather#880c7b26",
    reason: null,
  },
  {
    upstreamName: "get weather",
    namespace: "mcp",
    name: "get weather",
    hash8: "f0203100",
    id: null,
    reason: "bad_name",
  },
  {
    upstreamName: "1pass.get",
    namespace: "1pass",
    name: "get",
    hash8: "5f2aae25",
    id: null,
    reason: "bad_namespace",
  },
  {
    upstreamName: "a_b_c.d",
    namespace: "a_b_c",
    name: "d",
    hash8: "9c55ffb1",
    id: "a_b_c:d#9c55ffb1",
    reason: null,
  },
  {
    upstreamName: "search",
    namespace: "mcp",
    name: "search",
    hash8: "532f4e24",
    id: "mcp:search#532f4e24",
    reason: null,
  },
  {
    upstreamName: "a.b.c.d",
    namespace: "a",
    name: "b.c.d",
    hash8: "ba19ebea",
    id: "a:b.c.d#ba19ebea",
    reason: null,
  },
  {
    upstreamName: "über.tool",
    namespace: "über",
    name: "tool",
    hash8: "df7016fa",
    id: null,
    reason: "bad_namespace",
  },
] as const;

/** Shape hashes of single tools. */
export const HASHES = [
  { name: "read_file", schema: {}, hash8: "559d82ea" },
  {
    name: "github.create_issue",
    schema: { properties: { title: {}, body: {} }, required: ["title"] },
    hash8: "6c5f877d",
  },
  { name: "t", schema: { properties: { é: {}, z: {} }, required: ["z"] }, hash8: "f250cbe3" },
];

/** `github.create_issue` with `_meta.version` 1.4.0. */
export const VERSIONED_ID = "github:create_issue@1.4.0";

export const RESOURCES = [
  { uri: "file:///docs/readme.md", name: "README", id: "resource::file:README#a8c506b1" },
  { uri: "file:///docs/readme.md", name: "", id: "resource::file:readme.md#a8c506b1" },
  { uri: "postgres://db/table x", name: "", id: "resource::postgres:table_x#3114c5e0" },
  { uri: "urn:isbn:123", name: "", id: "resource::urn:urn_isbn_123#8d21b86c" },
] as const;

export const PROMPTS = [
  { name: "summarize_pr", argumentNames: ["repo", "b"], id: "prompt::mcp:summarize_pr#93acd4ee" },
  { name: "gh.summarize", argumentNames: [], id: "prompt::gh:gh.summarize#a3605d83" },
  { name: "code review please", argumentNames: ["x"], id: "prompt::mcp:code_review_please#ea2a02b2" },
] as const;
