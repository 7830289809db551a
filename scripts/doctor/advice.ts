import { join } from "node:path";

/** What a person named of what is looked at, as it was written on the command line. */
export interface Named {
  readonly config?: string | undefined;
  readonly state?: string | undefined;
  readonly url?: string | undefined;
}

/** Where a deployment is: a Worker of Cloudflare's, an instance over a state folder, or this machine without such a folder. */
type Place = "deployed" | "instance" | "loopback";

/** Parts of what to do that depend on which deployment is looked at, and on how it was named. */
export interface Advice {
  /** The command that looks at the same again and has its servers listed anew first. */
  readonly refresh: string;
  /** Where the Worker's log is to be read. */
  readonly log: string;
  /** What creates the tables of the ledger. */
  readonly migrate: string;
}

export const DEFAULT_STATE = ".loomgate";

const MIGRATE = "apply the migrations (`npx wrangler d1 migrations apply DB --remote`)";

export function adviceFor(named: Named, place: Place): Advice {
  const log = join(place === "instance" ? (named.state ?? DEFAULT_STATE) : "", "logs", "worker.log");
  const migrate = place === "deployed" ? MIGRATE : "start it anew: `npm start` applies the migrations";
  switch (place) {
    case "deployed":
      return { refresh: refreshCommand(named), log: "`npx wrangler tail`", migrate };
    case "instance":
      return { refresh: refreshCommand(named), log, migrate };
    case "loopback":
      return { refresh: refreshCommand(named), log: `${log} in its state folder`, migrate };
  }
}

function refreshCommand({ config, state, url }: Named): string {
  const options = [
    ["--state", state],
    ["--url", url],
    ["--config", config],
  ] as const;
  const written = options.flatMap(([option, value]) => (value === undefined ? [] : [word(option, value)]));
  return `\`npm run doctor -- ${[...written, "--refresh"].join(" ")}\``;
}

/** A value that begins with a dash would be taken for an option of its own. */
function word(option: string, value: string): string {
  return `${option}${value.startsWith("-") ? "=" : " "}${shellQuoted(value)}`;
}

const PLAIN = /^[A-Za-z0-9_.,:/@%+=-]+$/;

/** A text as one word of a POSIX shell. */
function shellQuoted(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
