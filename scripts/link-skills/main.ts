import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { readCommandLine, runCommand, Told } from "../command-line.ts";
import { linkSkills } from "./link-skills.ts";

const USAGE = `usage: npm run link-skills [-- --dir DIR] [--remove]
  --dir DIR   the folder of skills (~/.claude/skills); for Codex ~/.codex/skills
  --remove    take the links out again`;

const SKILLS = resolve(import.meta.dirname, "../../skills");

await runCommand(async () => {
  const { values, positionals } = readCommandLine(process.argv.slice(2), USAGE, {
    dir: { type: "string", default: join(homedir(), ".claude", "skills") },
    remove: { type: "boolean", default: false },
  });
  // A folder without its `--dir` would be passed over, and another one linked into.
  const [surplus] = positionals;
  if (surplus !== undefined) throw new Told(`what is ${surplus}?\n${USAGE}`);
  for (const { path, change } of linkSkills(SKILLS, values.dir, values.remove))
    console.log(`${change}: ${path}`);
});
