import { fail, ok, type Result } from "../../result.ts";

/** How an answer is shown: as lines for a model, or as the structure itself. Never both in one answer. */
export const RENDER_MODES = ["porcelain", "json"] as const;
/** How much of it: what decides the next step, or everything. */
export const DETAILS = ["concise", "full"] as const;
export const PATH_STYLES = ["absolute", "relative"] as const;

export type RenderMode = (typeof RENDER_MODES)[number];
export type Detail = (typeof DETAILS)[number];
export type PathStyle = (typeof PATH_STYLES)[number];

export const DEFAULT_RENDER_MODE: RenderMode = "porcelain";
export const DEFAULT_DETAIL: Detail = "concise";

/** Paths of a porcelain text are relative to the workspace; those of a structure can be used as they stand. */
export const DEFAULT_PATH_STYLES: Readonly<Record<RenderMode, PathStyle>> = {
  porcelain: "relative",
  json: "absolute",
};

/** Other words for the modes, read and never written. */
export const RENDER_MODE_ALIASES = {
  text: "porcelain",
  plain: "porcelain",
  plain_text: "porcelain",
  structured: "json",
} as const satisfies Readonly<Record<string, RenderMode>>;

export const DETAIL_ALIASES = {
  summary: "concise",
  compact: "concise",
  verbose: "full",
  detailed: "full",
} as const satisfies Readonly<Record<string, Detail>>;

export const PATH_STYLE_ALIASES = { rel: "relative" } as const satisfies Readonly<Record<string, PathStyle>>;

/** Why a word is not read. It is not repeated: whoever sent it knows it, and `accepted` are the words to choose from. */
export interface UnknownWord<Name extends string> {
  readonly reason: "not_a_word" | "unknown_word";
  readonly field: Name;
  readonly accepted: readonly string[];
}

/** What a caller asked for, with the defaults in. */
export interface Presentation {
  readonly render: RenderMode;
  readonly detail: Detail;
  readonly path_style: PathStyle;
}

/** Reads `render`: the mode's word or an alias, exactly; absent is {@link DEFAULT_RENDER_MODE}. */
export function readRenderMode(value: unknown): Result<RenderMode, UnknownWord<"render">> {
  return readWord("render", value, RENDER_MODES, RENDER_MODE_ALIASES, DEFAULT_RENDER_MODE);
}

/** Reads `detail`: the word or an alias, exactly; absent is {@link DEFAULT_DETAIL}. */
export function readDetail(value: unknown): Result<Detail, UnknownWord<"detail">> {
  return readWord("detail", value, DETAILS, DETAIL_ALIASES, DEFAULT_DETAIL);
}

/** Reads `path_style`: the word or an alias, exactly; absent is what the mode has by default. */
export function readPathStyle(
  value: unknown,
  render: RenderMode,
): Result<PathStyle, UnknownWord<"path_style">> {
  return readWord("path_style", value, PATH_STYLES, PATH_STYLE_ALIASES, DEFAULT_PATH_STYLES[render]);
}

/** Reads the three together, from members named as on the wire; the first that is wrong is the answer. */
export function readPresentation(asked: {
  readonly render?: unknown;
  readonly detail?: unknown;
  readonly path_style?: unknown;
}): Result<Presentation, UnknownWord<"render" | "detail" | "path_style">> {
  const render = readRenderMode(asked.render);
  if (!render.ok) return render;
  const detail = readDetail(asked.detail);
  if (!detail.ok) return detail;
  const style = readPathStyle(asked.path_style, render.value);
  if (!style.ok) return style;
  return ok({ render: render.value, detail: detail.value, path_style: style.value });
}

function readWord<Name extends string, Word extends string>(
  field: Name,
  value: unknown,
  words: readonly Word[],
  aliases: Readonly<Record<string, Word>>,
  absent: Word,
): Result<Word, UnknownWord<Name>> {
  if (value === undefined) return ok(absent);
  const accepted = [...words, ...Object.keys(aliases)];
  if (typeof value !== "string") return fail({ reason: "not_a_word", field, accepted });
  const word = words.find((known) => known === value);
  if (word !== undefined) return ok(word);
  // A foreign word may be called `constructor`.
  const meant = Object.hasOwn(aliases, value) ? aliases[value] : undefined;
  return meant === undefined ? fail({ reason: "unknown_word", field, accepted }) : ok(meant);
}
