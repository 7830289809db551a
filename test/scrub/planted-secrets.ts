import fc from "fast-check";

export const MARK = "[REDACTED-SECRET]";

/** Put together here, so that nothing that scans this file takes it for a leak. */
export const code = (length: number): string => "aB3dE5gH7j".repeat(Math.ceil(length / 10)).slice(0, length);

/** What must not be found again. */
export const PLANTED: readonly string[] = ["hunt3r-Zwei", code(30), "p4ss w0rd"];
const [SHORT = "", LONG = "", SPACED = ""] = PLANTED;

const BY_SHAPE = [
  `sk-${LONG}`,
  `see ghp_${LONG}${LONG} there`,
  `https://ada:${SHORT}@example.com/`,
  `password: ${SHORT}, and more`,
  `curl -u ada:${SHORT} https://example.com`,
  `Cookie: theme=dark; sid=${SHORT}`,
  `machine example.com login ada password ${SHORT}`,
  `mysql -u ada -p${SHORT} db`,
  `mot de passe : ${SHORT}`,
  `密码：${SHORT}，请保密`,
  `Authorization: Negotiate ${LONG}`,
  `{"api_key": "${SPACED}", "n": 1.0}`,
  JSON.stringify({ inner: JSON.stringify({ cookie: SPACED }) }),
  `-----BEGIN PRIVATE KEY-----\n${LONG}\n-----END PRIVATE KEY-----`,
];

const plain = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(
    "name",
    "password",
    "--token",
    "-u",
    "Authorization",
    "words",
    MARK,
    42,
    "Bearer",
    "",
    "[1",
    "{",
  ),
);
const member = fc.oneof(
  fc.constantFrom(
    "name",
    "value",
    "values",
    "key",
    "id",
    "user",
    "__proto__",
    "a",
    "x y",
    MARK,
    "max_tokens",
  ),
  fc.string({ maxLength: 4 }),
);
const secretName = fc.constantFrom(
  "password",
  "apiKey",
  "x-session-id",
  "credentials",
  "tokens",
  "DB_PASS",
  "set-cookie",
  "contraseña",
  "密码",
);
const secret = fc.constantFrom(...PLANTED);

/** JSON with secrets under names that say so, beside such names, and by their shape. */
export const jsonWithSecrets: fc.Arbitrary<unknown> = fc
  .letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      plain,
      fc.constantFrom(...BY_SHAPE),
      fc.array(tie("node"), { maxLength: 4 }),
      fc.dictionary(member, tie("node"), { maxKeys: 4 }),
      fc
        .record({ rest: tie("node"), name: secretName, secret })
        .map(({ rest, name, secret: hidden }) => ({ rest, [name]: hidden })),
      fc
        .record({ name: secretName, secret })
        .map(({ name, secret: hidden }) => ({ [name]: [hidden, { deep: hidden }] })),
      fc.record({ name: secretName, value: secret }),
      fc.record({ name: secretName, value: secret }).map(({ name, value }) => ({ value, name })),
      fc
        .record({ name: member, secret, kind: fc.boolean(), data: fc.constantFrom("data", "stringData") })
        .map(({ name, secret: hidden, kind, data }) =>
          kind
            ? { kind: "Secret", [data]: { [name]: hidden, b: hidden } }
            : { [data]: { [name]: hidden, b: hidden }, kind: "Secret" },
        ),
      fc.constantFrom({ data: { a: "plain", value: "words" }, kind: "ConfigMap" }),
      secret.map((hidden) => ["run", "--password", hidden]),
      secret.map((hidden) => [["x-api-key", hidden]]),
    ),
  }))
  .node.map((value): unknown => JSON.parse(JSON.stringify(value)));
