import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { memberOf } from "../../src/json.ts";
import { callAdmin, findAdmin } from "./admin-client.ts";

const USAGE = `usage: npm run token -- create --name N [--kind client|package|owner] [--principal P] [--scope GLOB]…
       npm run token -- list
       npm run token -- revoke ID
each with [--json] and [--url URL (needs OPERATOR_TOKEN) | --state DIR]`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string" },
    kind: { type: "string" },
    principal: { type: "string" },
    scope: { type: "string", multiple: true },
    url: { type: "string" },
    state: { type: "string", default: ".loomgate" },
    json: { type: "boolean", default: false },
  },
});

async function run(): Promise<void> {
  const [action, id] = positionals;
  const admin = findAdmin(values.url, resolve(values.state), process.env);
  if (action === "create" && values.name !== undefined) {
    const { name, kind, principal, scope } = values;
    const created = await callAdmin(admin, "POST", "/tokens", {
      name,
      ...(kind === undefined ? {} : { kind }),
      ...(principal === undefined ? {} : { principal }),
      ...(scope === undefined ? {} : { scopes: scope }),
    });
    print(created, () => [String(memberOf(created, "token")), "It is shown this once and kept nowhere."]);
  } else if (action === "list") {
    const listed = await callAdmin(admin, "GET", "/tokens");
    const tokens = memberOf(listed, "tokens");
    print(listed, () => (Array.isArray(tokens) ? tokens.map((token) => line(token)) : []));
  } else if (action === "revoke" && id !== undefined) {
    const revoked = await callAdmin(admin, "DELETE", `/tokens/${encodeURIComponent(id)}`);
    print(revoked, () => [`revoked ${line(revoked)}`]);
  } else {
    throw new Error(USAGE);
  }
}

function print(value: unknown, lines: () => string[]): void {
  console.log(values.json ? JSON.stringify(value) : lines().join("\n"));
}

/** One token as one line: id, kind, principal, name, and how long it is good for. */
function line(token: unknown): string {
  const text = (key: string): string => String(memberOf(token, key));
  const revoked = memberOf(token, "revoked_at_s");
  const expiry = new Date(Number(memberOf(token, "expires_at_s")) * 1000).toISOString();
  const standing = revoked === null ? `until ${expiry}` : "revoked";
  return [
    text("id"),
    text("kind"),
    text("principal"),
    JSON.stringify(memberOf(token, "name")),
    standing,
  ].join("  ");
}

try {
  await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
