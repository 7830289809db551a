import { resolve } from "node:path";
import { memberOf } from "../../src/json.ts";
import { readCommandLine, runCommand, Told } from "../command-line.ts";
import { callAdmin, findAdmin } from "../token/admin-client.ts";
import { connectionsOf } from "./connection-groups.ts";
import { grantLines } from "./grant-lines.ts";

const USAGE = `usage: npm run grant -- create --connection C… --stream S[:field,field]… [--resource STREAM:KEY]…
           [--source NAME]… [--since T] [--until T] [--name N] [--principal P] [--days N] [--scope GLOB]…
       npm run grant -- list
       npm run grant -- revoke ID
each with [--json] and [--state DIR | --url URL (needs OPERATOR_TOKEN)]
  --connection C  whose records; several make a package, a grant each
  --stream S      which of them, of the connections in front of it ('*' is every stream); with fields, those alone
                  and what the schema requires; given once, it belongs to all connections
  --resource      which records of a stream alone; may be repeated
  --source NAME   an external source of the configuration, as a whole
  --since, --until  from and before which time, by the stream's time of consent (consent_time_field of its manifest)
  --days N        how long the bearer is good for (365; 1825 at most)
  --scope GLOB    which tools of the gateway the bearer may use as well (none)
  ID              of a grant, of a package or of a token`;

const DAY_SECONDS = 86_400;
const ORDERED = new Set(["connection", "stream", "resource"]);

await runCommand(async () => {
  const { values, positionals, tokens } = readCommandLine(process.argv.slice(2), USAGE, {
    connection: { type: "string", multiple: true },
    stream: { type: "string", multiple: true },
    resource: { type: "string", multiple: true },
    source: { type: "string", multiple: true },
    since: { type: "string" },
    until: { type: "string" },
    name: { type: "string" },
    principal: { type: "string" },
    days: { type: "string" },
    scope: { type: "string", multiple: true },
    url: { type: "string" },
    state: { type: "string", default: ".loomgate" },
    json: { type: "boolean", default: false },
  });
  const print = (value: unknown, lines: () => readonly string[]): void => {
    console.log(values.json ? JSON.stringify(value) : lines().join("\n"));
  };
  const admin = () => findAdmin(values.url, resolve(values.state), process.env);
  const [action, id] = positionals;
  if (action === "create") {
    const words = tokens.flatMap((token) =>
      token.kind === "option" && ORDERED.has(token.name) && token.value !== undefined
        ? [{ name: token.name, value: token.value }]
        : [],
    );
    const { source: sources, since, until, name, principal, scope: scopes } = values;
    const connections = connectionsOf(words);
    if (connections.length === 0 && sources === undefined) {
      throw new Told(`create takes a --connection or a --source\n${USAGE}`);
    }
    const created = await callAdmin(admin(), "POST", "/grants", {
      name,
      principal,
      connections,
      sources,
      since,
      until,
      scopes,
      lifetime_s: lifetimeOf(values.days),
    });
    print(created, () => createdLines(created));
  } else if (action === "list") {
    const listed = await callAdmin(admin(), "GET", "/grants");
    print(listed, () => grantLines(listed));
  } else if (action === "revoke" && id !== undefined) {
    const revoked = await callAdmin(admin(), "DELETE", `/grants/${encodeURIComponent(id)}`, undefined, {
      notFound: `no grant, package or token has the id ${JSON.stringify(id)}: npm run grant -- list shows those of grants`,
    });
    print(revoked, () =>
      memberOf(revoked, "grants") === undefined ? [`${id} revoked`] : grantLines(revoked),
    );
  } else {
    throw new Told(USAGE);
  }
});

function lifetimeOf(days: string | undefined): number | undefined {
  if (days === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new Told(`--days takes a whole number, not "${days}"`);
  return Number(days) * DAY_SECONDS;
}

function createdLines(created: unknown): readonly string[] {
  const named = memberOf(created, "package_id") ?? memberOf(created, "grant_id");
  return [
    String(memberOf(created, "token")),
    `${String(memberOf(created, "kind"))} ${String(named)}; the bearer is shown this once and kept nowhere`,
  ];
}
