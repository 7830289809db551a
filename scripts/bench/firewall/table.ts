import { alignColumns } from "../../eval/figures/report.ts";
import type { FirewallFigures } from "./firewall.ts";
import type { MemoryFigures } from "./memory/memory.ts";
import type { Reading, ReadingFigures } from "./reading/case-figures.ts";
import { sumOfAll } from "./reading/kind-figures.ts";

const NOTHING = "-";
const KIB = 1_024;
const MIB = 1_048_576;
const MEGABYTE_PER_MS = 1_000;
const LEFT = new Set(["kind", "answer"]);

/** The firewall's tables, for a person. */
export function firewallTables({ reading, presenting, streaming, memory }: FirewallFigures): string {
  const rows = [...reading, { kind: "all", ...sumOfAll(reading) }];
  return [
    "Firewall: tokens (cl100k) that a model reads of each kind of result, data of images and sound left out; ~: of texts past",
    "256 KiB samples are counted. Beside it, everything passed through, and cut at a fixed number of characters.",
    alignColumns(
      [
        ["kind", "results", "KiB", "passed", "firewall", "to one", "cut at 2,000", "cut at 20,000"],
        ...rows.map(tokenRow),
      ],
      LEFT,
    ),
    "",
    "Questions about results that can be answered from what is shown, and with at most three views more; the last two columns",
    "are means over the questions, calls included. As many: cut at as many tokens as the firewall shows.",
    alignColumns(
      [
        [
          "kind",
          "questions",
          "passed",
          "firewall",
          "and views",
          "cut at 2,000",
          "cut at 20,000",
          "as many",
          "views",
          "tokens",
        ],
        ...rows.filter(({ questions }) => questions > 0).map(questionRow),
      ],
      LEFT,
    ),
    "",
    "Speed, in ms of CPU. Whole: a result in memory, summed up, hashed, indexed and put together.",
    alignColumns(
      [
        ["kind", "results", "KiB", "ms", "MB/s"],
        ...presenting.map(({ kind, results, bytes, ms }) => [
          kind,
          String(results),
          kib(bytes),
          digits(ms),
          rate(bytes, ms),
        ]),
      ],
      LEFT,
    ),
    "",
    "Streamed: a payload too large to hold goes by in chunks of 64 KiB.",
    alignColumns(
      [
        ["kind", "as", "MiB", "ms", "MB/s"],
        ...streaming.map(({ what, form, bytes, ms }) => [
          what,
          form,
          mib(bytes),
          digits(ms),
          rate(bytes, ms),
        ]),
      ],
      LEFT,
    ),
    "",
    "Memory for one large answer, from its first byte to its result, above what the process had before: occupied at the",
    "most; alive after collecting garbage every 4 MiB and at the end; and counted by the gateway against an isolate's cap.",
    alignColumns(
      [
        ["answer", "by", "MiB", "peak MiB", "alive MiB", "counted MiB", "ms", "MB/s"],
        ...memory.map(memoryRow),
      ],
      LEFT,
    ),
  ].join("\n");
}

type Row = ReadingFigures & { readonly kind: string };

function tokenRow({ kind, results, bytes, sampled, ...of }: Row): string[] {
  const passed = `${sampled > 0 ? "~" : ""}${of.passed.tokens}`;
  const others = [of.first_2000, of.first_20000].map(({ tokens }) => String(tokens));
  const ratio = (of.passed.tokens / of.firewall.tokens).toFixed(1);
  return [kind, String(results), kib(bytes), passed, String(of.firewall.tokens), ratio, ...others];
}

function questionRow({ kind, questions, passed, firewall, views, ...cut }: Row): string[] {
  const answered = (reading: Reading): string => String(reading.answered);
  return [
    kind,
    String(questions),
    ...[passed, firewall, views, cut.first_2000, cut.first_20000, cut.first_as_many].map(answered),
    (views.looks / questions).toFixed(1),
    (views.tokens / questions).toFixed(0),
  ];
}

const FRAMING = { json: "JSON", event: "an event" } as const;
const WAY = { loomgate: "loomgate", sdk: "SDK's client" } as const;

function memoryRow(row: MemoryFigures): string[] {
  const { framing, way, body_bytes, peak_bytes, live_bytes, counted_bytes, ms } = row;
  const counted = counted_bytes === null ? NOTHING : mib(counted_bytes);
  return [
    FRAMING[framing],
    WAY[way],
    mib(body_bytes),
    mib(peak_bytes),
    mib(live_bytes),
    counted,
    digits(ms),
    rate(body_bytes, ms),
  ];
}

function kib(bytes: number): string {
  return (bytes / KIB).toFixed(0);
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

/** Millions of bytes a second. */
function rate(bytes: number, ms: number): string {
  return digits(bytes / ms / MEGABYTE_PER_MS);
}

/** Three digits tell enough. */
function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}
