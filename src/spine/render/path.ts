import type { PathStyle } from "./mode.ts";

/**
 * A path as it is shown. Relative to the workspace's root it loses the root's segments, whole ones only: `/work` is no part
 * of `/workshop/a`. What is not under the root stays as it is, and the root itself is `.`. Nothing is resolved: `..` and
 * doubled slashes stand for what they stood for. The text may be any; a line that it goes into has to quote it.
 */
export function renderPath(path: string, style: PathStyle, workspaceRoot?: string): string {
  if (style === "absolute" || workspaceRoot === undefined || workspaceRoot === "") return path;
  const root = withoutTrailingSlashes(workspaceRoot);
  if (path === root) return ".";
  if (!path.startsWith(`${root}/`)) return path;
  const rest = path.slice(root.length).replace(/^\/+/, "");
  return rest === "" ? "." : rest;
}

/** A pattern that is tied to the end alone would try each of many slashes in turn. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end -= 1;
  return path.slice(0, end);
}
