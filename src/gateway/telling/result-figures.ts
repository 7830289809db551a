import type { ResultFigures } from "../../dispatch/call-account.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import type { Envelope } from "../../firewall/envelope.ts";
import { estimateTokensOfAny } from "../../firewall/result/token-estimate.ts";
import { utf8Bytes } from "../../firewall/result/utf8.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import { counts } from "./call-event.ts";

/** A result in numbers, as its envelope has them. */
export function figuresOf({ status, summary, artifacts, firewall_stats: stats }: Envelope): ResultFigures {
  return {
    status,
    rawBytes: stats.original_bytes,
    rawTokens: stats.original_tokens,
    shownBytes: utf8Length(summary),
    shownTokens: stats.shown_tokens,
    artifactCount: artifacts.length,
    artifactBytes: artifacts.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0),
  };
}

/** Of an answer that is handed on whole: what came back and what is shown are one. */
export function wholeFigures(shown: unknown, status: ResultFigures["status"]): ResultFigures {
  const text = exactJsonText(shown);
  const bytes = utf8Bytes(text);
  const tokens = estimateTokensOfAny(text);
  return {
    status,
    rawBytes: bytes,
    rawTokens: tokens,
    shownBytes: bytes,
    shownTokens: tokens,
    artifactCount: 0,
    artifactBytes: 0,
  };
}

/** The same as attributes of an event; nothing where there was no result. */
export function resultCounts(figures: ResultFigures | null) {
  if (figures === null) return {};
  return {
    ...counts({
      raw_bytes: figures.rawBytes,
      raw_tokens: figures.rawTokens,
      shown_bytes: figures.shownBytes,
      shown_tokens: figures.shownTokens,
      artifact_count: figures.artifactCount,
      artifact_bytes: figures.artifactBytes,
    }),
    firewall_triggered: figures.artifactCount > 0,
  };
}
