import { describe, expect, it } from "vitest";
import { redactSecrets } from "../../src/scrub/secret-shapes.ts";

const MARK = "[REDACTED-SECRET]";
const redacted = (text: string): string => redactSecrets(text).text;

/** Put together here, so that nothing that scans this file takes it for a leak. */
const code = (length: number): string => "aB3dE5gH7j".repeat(Math.ceil(length / 10)).slice(0, length);
const capitals = (length: number): string => code(length).toUpperCase();
const hex = (length: number): string => "0a1b2c3d4e5f".repeat(Math.ceil(length / 12)).slice(0, length);
const digits = (length: number): string => "1234567890".repeat(Math.ceil(length / 10)).slice(0, length);

const UUID = `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;

/** A token, and what is nearly one. */
const TOKENS: readonly (readonly [string, string, string])[] = [
  ["GitLab, deploying", `gldt-${code(20)}`, `gldt-${code(19)}`],
  ["GitLab, for an agent", `glagent-${code(50)}`, `glagent-${code(10)}`],
  ["PyPI", `pypi-${code(60)}`, "pypi-package-name-of-some-length"],
  ["npm", `npm_${code(36)}`, `npm_${code(35)}`],
  ["RubyGems", `rubygems_${hex(48)}`, `rubygems_${hex(47)}`],
  ["Docker", `dckr_pat_${code(27)}`, `dckr_pat_${code(9)}`],
  ["PlanetScale", `pscale_tkn_${code(43)}`, `pscale_tkn_${code(20)}`],
  ["Supabase", `sb_secret_${code(31)}`, `sb_publishable_${code(31)}`],
  ["Sentry", `sntryu_${hex(64)}`, `sntryu_${hex(30)}`],
  ["Grafana", `glsa_${code(32)}_${hex(8)}`, `glsa_${code(32)}-${hex(8)}`],
  ["Postman", `PMAK-${hex(24)}-${hex(34)}`, `PMAK-${hex(24)}`],
  ["Heroku", `HRKU-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`, `HRKU-${hex(20)}`],
  ["Fly", `fm2_${code(60)}`, `fm2_${code(20)}`],
  ["New Relic", `NRAK-${capitals(27)}`, `NRAK-${capitals(26)}`],
  ["Google, for a client", `GOCSPX-${code(28)}`, `GOCSPX-${code(19)}`],
  ["Google OAuth", `ya29.${code(60)}`, "ya29.short"],
  ["DigitalOcean", `dop_v1_${hex(64)}`, `dop_v1_${hex(63)}`],
  ["Cloudflare's origin", `v1.0-${hex(24)}-${hex(146)}`, `v1.0-${hex(24)}-${hex(20)}`],
  ["Slack, rotated", `xoxe.xoxp-1-${code(60)}`, "xoxe.xoxp-1"],
  [
    "Slack's webhook",
    `hooks.slack.com/services/T${capitals(10)}/B${capitals(10)}/${code(24)}`,
    "hooks.slack.com/services/T0/B0/x",
  ],
  [
    "Slack's webhook in JSON",
    String.raw`hooks.slack.com\/services\/T${capitals(10)}\/B${capitals(10)}\/${code(24)}`,
    "hooks.slack.com",
  ],
  [
    "Discord's webhook",
    `discord.com/api/webhooks/${digits(18)}/${code(68)}`,
    `discord.com/api/webhooks/${digits(18)}`,
  ],
  ["Discord's bot", `M${code(23)}.${code(6)}.${code(38)}`, `M${code(23)}.${code(5)}.${code(38)}`],
  ["Telegram's bot", `${digits(10)}:AA${code(33)}`, `${digits(10)}:AB${code(33)}`],
  [
    "Telegram's bot in its address",
    `api.telegram.org/bot${digits(9)}:AA${code(33)}`,
    `api.telegram.org/bot${digits(9)}`,
  ],
  ["Atlassian", `ATATT3${code(60)}`, `ATATT3${code(20)}`],
  ["Linear", `lin_api_${code(40)}`, `lin_api_${code(20)}`],
  ["Linear OAuth", `lin_oauth_${hex(64)}`, "lin_oauth_state"],
  ["Notion", `ntn_${code(46)}`, `ntn_${code(20)}`],
  ["Notion, before", `secret_${code(43)}`, `secret_${code(39)}`],
  ["Figma", `figd_${code(40)}`, `figd_${code(20)}`],
  ["Stripe, testing", `sk_test_${code(24)}`, `pk_test_${code(24)}`],
  ["Stripe's webhook", `whsec_${code(32)}`, `whsec_${code(20)}`],
  ["Shopify", `shpat_${hex(32)}`, `shpat_${hex(31)}`],
  ["Square", `sq0atp-${code(22)}`, `sq0atp-${code(21)}`],
  ["Brevo", `xkeysib-${hex(64)}-${code(16)}`.slice(0, 72), `xkeysib-${hex(40)}`],
  ["Twilio", `SK${hex(32)}`, `SK${hex(31)}`],
  ["Facebook", `EAAB${code(120)}`, `EAAB${code(40)}`],
  ["Airtable", `pat${code(14)}.${hex(64)}`, `pat${code(14)}.${hex(63)}`],
  ["Doppler", `dp.st.dev.${code(43)}`, "dp.st.dev"],
  ["Pulumi", `pul-${hex(40)}`, `pul-${hex(39)}`],
  ["Netlify", `nfp_${code(40)}`, `nfp_${code(20)}`],
  ["Hugging Face", `hf_${code(34)}`, "hf_hub_download"],
  ["Groq", `gsk_${code(52)}`, `gsk_${code(20)}`],
  ["xAI", `xai-${code(80)}`, `xai-${code(40)}`],
  ["Replicate", `r8_${code(37)}`, `r8_${code(30)}`],
  ["Perplexity", `pplx-${code(48)}`, `pplx-${code(20)}`],
  ["AWS Bedrock", `ABSK${code(110)}`, `ABSK${code(60)}`],
  ["Azure's application", `abc8Q~${code(34)}`.slice(3), `8Q~${code(20)}`],
  ["GitLab's runner", `GR1348941${code(20)}`, `GR1348941${code(9)}`],
  ["Bitbucket", `ATBB${code(32)}`, `ATBB${code(20)}`],
  ["Atlassian, for an app", `ATCTT3${code(180)}`, `ATCTT3${code(20)}`],
  ["CircleCI", `CCIPAT_${code(22)}_${hex(40)}`, `CCIPAT_${code(22)}`],
  ["Sonar", `squ_${hex(40)}`, `squ_${hex(20)}`],
  ["Sourcegraph", `sgp_${hex(16)}_${hex(40)}`, `sgp_${hex(16)}`],
  ["JFrog", `AKCp${code(69)}`, `AKCp${code(40)}`],
  ["NuGet", `oy2${hex(43)}`, `oy2${hex(20)}`],
  ["Grafana Cloud", `glc_eyJ${code(60)}`, `glc_eyJ${code(10)}`],
  ["Dynatrace", `dt0c01.${capitals(24)}.${capitals(64)}`, `dt0c01.${capitals(24)}`],
  ["Honeycomb", `hcaik_${hex(58)}`, `hcaik_${hex(20)}`],
  ["PostHog", `phx_${code(43)}`, `phc_${code(20)}`],
  ["Datadog", `ddapp_${code(34)}`, `ddapp_${code(20)}`],
  ["Cloudflare", `cfut_${code(48)}`, `cfut_${code(20)}`],
  ["Alibaba", `LTAI${code(20)}`, `LTAI${code(10)}`],
  ["Pinecone", `pcsk_${code(6)}_${code(63)}`, `pcsk_${code(20)}`],
  ["1Password", `ops_eyJ${code(250)}`, `ops_eyJ${code(60)}`],
  ["Contentful", `CFPAT-${code(43)}`, `CFPAT-${code(20)}`],
  ["Figma OAuth", `figu_${code(40)}`, `figu_${code(20)}`],
  ["HubSpot", `pat-na1-${UUID}`, `pat-na1-${hex(8)}`],
  ["LaunchDarkly", `sdk-${UUID}`, `sdk-${hex(8)}`],
  ["Plaid", `access-production-${UUID}`, "access-production-keys"],
  ["Resend", `re_${code(8)}_${code(24)}`, `re_${code(8)}_${code(9)}`],
  ["Square, production", `EAAA${code(60)}`, `EAAA${code(30)}`],
  ["Dropbox", `sl.${code(140)}`, `sl.${code(60)}`],
  ["PASETO", `v4.local.${code(120)}`, `v4.local.${code(20)}`],
  ["Asana", `1/${digits(16)}:${hex(32)}`, `1/${digits(16)}:${hex(10)}`],
  ["LangSmith", `lsv2_pt_${hex(32)}_${hex(10)}`, `lsv2_pt_${hex(10)}`],
  ["Databricks OAuth", `dose${hex(32)}`, `dose${hex(20)}`],
  ["a password's hash", `$2b$12$${code(53)}`, "$2b$12$abc"],
  ["Vault", `hvs.${code(90)}`, `hvs.${code(12)}`],
];

describe("tokens in common use", () => {
  it.each(TOKENS)("of %s go, and what is nearly one stays", (_name, token, nearly) => {
    for (const [before, after] of [
      ["", ""],
      ["see ", " ok"],
      ['{"a":"', '"}'],
      ["(", ")"],
    ] as const) {
      expect(redactSecrets(before + token + after)).toEqual({ text: before + MARK + after, count: 1 });
      expect(redactSecrets(before + nearly + after)).toEqual({ text: before + nearly + after, count: 0 });
    }
  });

  it.each([
    `x${digits(8)}:AA${code(33)}`,
    `NSKabc${hex(32)}`,
    `compat${code(14)}.${hex(64)}`,
    `taskSK${hex(32)}`,
    `dispul-${hex(40)}`,
  ])("%j is the end of a longer word", (text) => {
    expect(redactSecrets(text).count).toBe(0);
  });
});

describe("what opens something to whoever has it", () => {
  it.each([
    [
      `https://a.blob.core.windows.net/c/f?sv=2020&sig=${code(40)}%3D&se=1`,
      `https://a.blob.core.windows.net/c/f?sv=2020&sig=${MARK}&se=1`,
    ],
    [`    client-key-data: ${code(80)}=\n    name: a`, `    client-key-data: ${MARK}\n    name: a`],
    [
      `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${code(86)}==;X=1`,
      `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${MARK};X=1`,
    ],
    [
      `Endpoint=sb://a/;SharedAccessKeyName=Root;SharedAccessKey=${code(43)}=`,
      `Endpoint=sb://a/;SharedAccessKeyName=Root;SharedAccessKey=${MARK}`,
    ],
    [
      `https://s3/x?X-Amz-Date=1&X-Amz-Signature=${hex(64)}`,
      `https://s3/x?X-Amz-Date=1&X-Amz-Signature=${MARK}`,
    ],
    [`\\u0026sig=${code(40)}"`, `\\u0026sig=${MARK}"`],
    [`https://pub:${hex(32)}@sentry.io/1`, `https://pub:${MARK}@sentry.io/1`],
    ["postgresql://ada:pw@db:5432/x?sslmode=require", `postgresql://ada:${MARK}@db:5432/x?sslmode=require`],
    ["mongodb+srv://ada:p%40w@c.example.net", `mongodb+srv://ada:${MARK}@c.example.net`],
    ["curl -u ada:hunter22 https://example.com", `curl -u ada:${MARK} https://example.com`],
    ['curl --user "ada:p w" x', `curl --user "ada:${MARK}" x`],
    ["curl --proxy-user=ada:pw x", `curl --proxy-user=ada:${MARK} x`],
    [`AKIA${capitals(16)},${code(40)},eu`, `${MARK},${MARK},eu`],
    [`["AKIA${capitals(16)}","${code(38)}/+"]`, `["${MARK}","${MARK}"]`],
  ])("goes from %j", (text, expected) => {
    expect(redacted(text)).toBe(expected);
    expect(redactSecrets(expected)).toEqual({ text: expected, count: 0 });
  });

  it.each([
    "https://example.com/?sig=short",
    `https://example.com/?design=${code(40)}`,
    "docker run -u 1000:1000 x",
    "curl -u https://example.com:443/",
    "sort -u a",
    `see-u a:b`,
    `AKIA is ${code(40)}`,
    "Basic authentication is required",
  ])("%j opens nothing", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });
});

describe("members of JSON in a text", () => {
  it.each([
    ['Found: {"cookie": "a b", "n": 1}', `Found: {"cookie": "${MARK}", "n": 1}`],
    ['{"pin": 12, "pass" : "x"} and more', `{"pin": "${MARK}", "pass" : "${MARK}"} and more`],
    [String.raw`{\"jwt\":\"a\\\"b\",\"pin\":1}!`, String.raw`{\"jwt\":\"${MARK}\",\"pin\":\"${MARK}\"}!`],
    ['{"auth":"Basic eDp5"} x', `{"auth":"Basic ${MARK}"} x`],
    [`{"cookie":"sk-${code(20)}"} x`, `{"cookie":"${MARK}"} x`],
  ])("lose what they hold: %s", (text, expected) => {
    expect(redacted(text)).toBe(expected);
    expect(redactSecrets(expected)).toEqual({ text: expected, count: 0 });
  });

  it.each([
    '{"nextPageToken": "abc"} x',
    '{"pass": 12, "max_tokens": 5} x',
    '{"cookie": "", "pin": true, "otp": null} x',
    '{"token": "string"} x',
    '{"cookie": "not closed',
    '"pin": two',
    `{"${"cookie".repeat(20)}": "a"} x`,
  ])("hold none: %s", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });
});

describe("names in a text", () => {
  it.each([
    "?next_page_token=abcdefghij&x=1",
    "nextPageToken: CAUQAAabcdef",
    "continuationToken=abcdefghij",
    "token_type=password-grant",
    "password_policy: strong-enough",
    "SharedAccessKeyName=RootManage",
    "POSTGRES_PASSWORD_FILE=/run/secrets/db",
    "PWD=/home/ada/work",
    "pwd: C:\\Users\\ada",
    "designTokens: primary-color",
  ])("%j says none", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });

  it.each([
    "token: string",
    "password: required",
    "Invalid token: expired.",
    "password=${DB_PASSWORD}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    'password: "<your password>"',
    "password = $DB_PASSWORD",
    "password: ********",
    "token: ghp_****abcd",
    "const token = process.env.GITHUB_TOKEN;",
    "const token = config.auth.token;",
    "password = hash('input')",
    "let token = getToken()",
  ])("%j only stands for one", (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });

  it.each([
    ["password={hunter22}", `password={${MARK}}`.replace(`{${MARK}}`, `${MARK}}`)],
    ["password=${DB_PASSWORD:-hunter22}", `password=${MARK}}`],
    ["password=$ecret-Word", `password=${MARK}`],
    ["password=correct.horse", `password=${MARK}`],
    ["page_token_secret=abcdefgh", `page_token_secret=${MARK}`],
    ["my_access_token=abcdefgh", `my_access_token=${MARK}`],
    [`token=config.ghp_${code(36)}`, `token=config.${MARK}`],
  ])("%j does not only look like one", (text, expected) => {
    expect(redacted(text)).toBe(expected);
    expect(redactSecrets(expected)).toEqual({ text: expected, count: 0 });
  });

  // At a quadratic cost each of these would take hours, which the ring does not wait for.
  it.each([
    "-u a:b ",
    "-u ",
    "--user ",
    "?sig=",
    "&sig=aaaa",
    "AKIAABCDEFGHIJKLMNOP,",
    "secret_aaaaaaaaaaaaaaaaaaaa",
    "M23456789012345678901234.",
    "1234567890",
    "dp.st.",
    "page_token=x ",
    "token=config.",
    "token: string ",
    "password=$A_",
    "next token type ",
    '"pin":',
    '"pin":"',
    '"pin":"a',
    '"pin" ',
    '\\"pin\\":\\"',
    '"a',
  ])("reads a million characters of %j, of which it makes the same twice", (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const once = redactSecrets(text);
    expect(redactSecrets(once.text).count).toBe(0);
    expect(once.text.length).toBeLessThan(8 * text.length);
  });
});
