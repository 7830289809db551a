import { resolve } from "node:path";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { readCommandLine, runCommand, Told } from "../command-line.ts";
import { callAdmin, findAdmin } from "./admin-client.ts";

const USAGE = `usage: npm run token -- create --name N [--kind client|package|owner] [--principal P] [--scope GLOB]…
       npm run token -- list
       npm run token -- revoke ID
each with [--json] and [--state DIR | --url URL (needs OPERATOR_TOKEN)]
  --principal P   who the bearer speaks for (its name)
  --scope GLOB    what it may see and use, by ids: 'github:*' is all of a server, its resources and prompts too,
                  'resource::github:*' its resources alone (all); may be repeated`;

await runCommand(async () => {
  const { values, positionals } = readCommandLine(process.argv.slice(2), USAGE, {
    name: { type: "string" },
    kind: { type: "string" },
    principal: { type: "string" },
    scope: { type: "string", multiple: true },
    url: { type: "string" },
    state: { type: "string", default: ".loomgate" },
    json: { type: "boolean", default: false },
  });
  const print = (value: unknown, lines: () => string[]): void => {
    console.log(values.json ? JSON.stringify(value) : lines().join("\n"));
  };
  const admin = () => findAdmin(values.url, resolve(values.state), process.env);
  const [action, id] = positionals;
  if (action === "create" && values.name !== undefined) {
    const { name, kind, principal, scope: scopes } = values;
    const created = await callAdmin(admin(), "POST", "/tokens", { name, kind, principal, scopes });
    print(created, () => [
      String(memberOf(created, "token")),
      `id ${String(memberOf(created, "id"))}; the bearer is shown this once and kept nowhere`,
    ]);
  } else if (action === "list") {
    const listed = await callAdmin(admin(), "GET", "/tokens");
    const tokens = memberOf(listed, "tokens");
    print(listed, () => (isJsonArray(tokens) ? tokens.map((token) => line(token)) : []));
  } else if (action === "revoke" && id !== undefined) {
    const revoked = await callAdmin(admin(), "DELETE", `/tokens/${encodeURIComponent(id)}`, undefined, {
      notFound: `no token has the id ${JSON.stringify(id)}: npm run token -- list shows them`,
    });
    print(revoked, () => [line(revoked)]);
  } else if (action === "create") {
    throw new Told(`create takes a --name\n${USAGE}`);
  } else {
    throw new Told(USAGE);
  }
});

/** One token as one line: id, kind, principal, name, how long it is good for, and what it sees if that is not all. */
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
    ...scopesOf(memberOf(token, "scopes")),
  ].join("  ");
}

function scopesOf(scopes: unknown): string[] {
  return isJsonArray(scopes) ? [`sees ${scopes.map(String).join(" ")}`] : [];
}
