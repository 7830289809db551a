import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldEntries, NO_ACCOUNTS } from "../../src/ledger/accounts.ts";
import { renderStatus } from "../../src/ledger/porcelain.ts";
import { STATUS_NOTE_MAX_CHARS, STATUS_NOTES_MAX_LINES, STATUS_TABLE_MAX_LINES } from "../../src/limits.ts";
import { TABLE_CELL_DEFAULT_MAX_CHARS } from "../../src/limits/spine.ts";
import { answered, browsed, entry, executed, listed, refreshed, unreachable } from "./entries.ts";
import { anyReport, reportOf, viewOf } from "./views.ts";

describe("the status as lines", () => {
  it("says what is wrong first, then every part", () => {
    const { accounts } = foldEntries(NO_ACCOUNTS, [
      entry(executed({ durationMs: 12 }), [answered("github")]),
      entry(executed({ tool: "slow:job@1#00000000", durationMs: 900, failed: true }), [unreachable("slow")]),
      entry(browsed()),
    ]);
    const refresh = refreshed({
      servers: [listed("github"), listed("slow", { status: "failed", tools: 0, reason: "timeout" })],
    });
    expect(renderStatus(reportOf(["github", "slow"], viewOf(accounts, { refresh })).status)).toBe(
      [
        "loomgate 0.1.0: degraded, as of 2026-01-31T12:00:00.000Z",
        "note: slow: failed, timeout",
        "note: slow: 1 failure(s) since a success, the last unreachable",
        "",
        "catalog:",
        "age_s: 1",
        "findings: 0",
        "generation: 3",
        `hash: "${"ab".repeat(32)}"`,
        'refreshed_at: "2026-01-31T12:00:00.000Z"',
        "stale: []",
        "tools: 12",
        "",
        "servers:",
        "server | listing | tools | skipped | findings | state | failures | calls | errors | target | generation | other | last fault",
        "github | ok | 4 | 0 | 0 | ready | 0 | 1 | 0 | configured | 1 | - | -",
        "slow | failed | 0 | 0 | 0 | recovering | 1 | 1 | 1 | configured | 1 | - | transport/unreachable",
        "",
        "calls:",
        "call | requests | successes | errors | retries | avg ms | max ms | last error",
        "browse | 1 | 1 | 0 | 0 | 3 | 3 | -",
        "execute | 2 | 1 | 1 | 0 | 456 | 900 | tool_error",
        "",
        "hottest tools:",
        "tool | calls | errors | avg ms | max ms",
        "slow:job@1#00000000 | 1 | 1 | 900 | 900",
        "github:create_issue#aea9ce2a | 1 | 0 | 12 | 12",
        "",
        "slowest tools:",
        "tool | calls | errors | avg ms | max ms",
        "slow:job@1#00000000 | 1 | 1 | 900 | 900",
        "github:create_issue#aea9ce2a | 1 | 0 | 12 | 12",
        "",
        "events:",
        "2 kept, 2026-01-31T11:59:59.995Z to 2026-01-31T12:00:00.000Z",
        "event | in all",
        "browse.completed | 2",
        "",
        "kept:",
        "artifacts: 0",
        "bytes: 0",
        "max_artifacts: 10000",
        "max_bytes: 1073741824",
        "most_artifacts: 0",
        "most_bytes: 0",
        "principals: 0",
        "",
        "ledger:",
        "dropped: 0",
        "lost_at: null",
        "refused: 0",
        "restarted: 0",
        "sources: 1",
        "unreadable: 0",
      ].join("\n"),
    );
  });

  it("has a column for resources and for prompts where a server has any", () => {
    const view = viewOf(NO_ACCOUNTS, {
      refresh: refreshed({ servers: [listed("github", { resources: 3 }), listed("slow")] }),
    });
    const lines = renderStatus(reportOf(["github", "slow"], view).status).split("\n");
    const at = lines.indexOf("servers:");
    expect(lines.slice(at + 1, at + 4).map((line) => line.split(" | ").slice(0, 5).join(" "))).toEqual([
      "server listing tools resources skipped",
      "github ok 4 3 0",
      "slow ok 4 0 0",
    ]);
  });

  it("shows what changed, a line each, and whether it was published", () => {
    const diff = {
      added: ["a:new#00000001"],
      removed: ["a:old#00000002"],
      changed: [{ id: "a:kept#00000003", change: "contract" as const }],
      replaced: [{ id: "a:new#00000001", was: "a:old#00000002" }],
      omitted: 7,
    };
    const shown = (more: object) =>
      renderStatus(reportOf([], viewOf(NO_ACCOUNTS, { refresh: refreshed(more) })).status);
    const lines = [
      "change | tool",
      "contract | a:kept#00000003",
      "replaced | a:old#00000002 by a:new#00000001",
      "removed | a:old#00000002",
      "added | a:new#00000001",
      "… 7 more",
    ].join("\n");
    expect(shown({ diff, diff_generation: 3 })).toContain(`\n\nlast change, generation 3:\n${lines}\n\n`);
    expect(shown({ diff })).toContain(`\n\nchange that was not published:\n${lines}\n\n`);
    expect(shown({})).not.toContain("change");
  });

  it("shows the worst of many notes and counts the others", () => {
    const names = Array.from({ length: 30 }, (_, index) => `a-${index}`);
    const servers = names.map((name) => listed(name, { status: "failed" }));
    const view = viewOf(NO_ACCOUNTS, { refresh: refreshed({ servers }) });
    const notes = renderStatus(reportOf(names, view).status)
      .split("\n")
      .slice(1, STATUS_NOTES_MAX_LINES + 1);
    expect(notes[0]).toBe("note: no server is ok");
    expect(notes.slice(1, -1)).toEqual(
      names.slice(0, STATUS_NOTES_MAX_LINES - 2).map((name) => `note: ${name}: failed`),
    );
    expect(notes.at(-1)).toBe(`… ${31 - (STATUS_NOTES_MAX_LINES - 1)} note(s) omitted`);
  });

  it("gives the notes in the order of the reasons, the worst first, each once and whole where it names hashes", () => {
    const pin = {
      mode: "strict",
      expected: "ab".repeat(32),
      actual: "cd".repeat(32),
      matches: false,
    } as const;
    for (const generation of [0, 1, Number.MAX_SAFE_INTEGER]) {
      const servers = [listed("z", { status: "stale" }), listed("a", { status: "stale" })];
      const refresh = refreshed({
        generation,
        servers,
        pin,
        failure: "the catalog does not match gateway.pin",
      });
      const { status } = reportOf(["z", "a"], viewOf(NO_ACCOUNTS, { refresh }));
      const notes = renderStatus(status)
        .split("\n")
        .slice(1, 1 + status.reasons.length);
      expect(notes).toEqual(status.reasons.map((reason) => `note: ${reason}`));
      expect(notes.at(-2)).toBe("note: z: stale");
    }
  });

  it("counts the servers that it leaves out", () => {
    const names = Array.from({ length: 200 }, (_, index) => `server-${index}`);
    const text = renderStatus(reportOf(names, viewOf(NO_ACCOUNTS)).status);
    const rows = text.split("\n").filter((line) => line.startsWith("server-"));
    expect(text).toContain(`\n… ${200 - rows.length} line(s) omitted\n`);
    expect(rows).toHaveLength(STATUS_TABLE_MAX_LINES - 2);
  });

  it("stays within its lines and their width, whatever servers are called and said", () => {
    // The header, notes, a blank line and a heading for each of seven parts, two objects and five tables.
    const mostLines = 1 + STATUS_NOTES_MAX_LINES + 7 * 2 + 2 * 24 + 5 * STATUS_TABLE_MAX_LINES + 1;
    const widest = Math.max(
      13 * TABLE_CELL_DEFAULT_MAX_CHARS + 12 * " | ".length,
      STATUS_NOTE_MAX_CHARS + "note: ".length,
      2 * 240 + ": ".length,
    );
    fc.assert(
      fc.property(anyReport, ({ report, names }) => {
        const text = renderStatus(report.status);
        const lines = text.split("\n");
        expect(lines.length).toBeLessThanOrEqual(mostLines);
        for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(widest);
        // No text of a server's begins a line, hides or turns one around.
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069\p{Surrogate}]/u);
        const from = lines.indexOf("servers:");
        const rows = lines.slice(from + 2, lines.indexOf("", from));
        const omitted = /^… (\d+) line\(s\) omitted$/.exec(rows.at(-1) ?? "");
        const shown = rows.length + (omitted === null ? 0 : Number(omitted[1]) - 1);
        expect(shown).toBe(names.length);
      }),
      { numRuns: 40 },
    );
  });
});
