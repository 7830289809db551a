import { isHandle } from "../firewall/artifacts/artifact.ts";
import { ARTIFACTS_HANDED_OUT_MAX_COUNT } from "../limits.ts";
import { principalObjectName } from "../principal/object-name.ts";
import { principalPort } from "../principal/principals-store.ts";
import { oneLine } from "../scrub/log-line.ts";
import { UNAVAILABLE } from "./answers.ts";
import { artifactsOf } from "./artifacts.ts";
import type { HttpContext } from "./bindings.ts";
import { logFor } from "./log.ts";
import { scrubberFor } from "./scrubber.ts";

/** `GET /admin/artifacts?principal=<name>`: what is kept for one principal, the newest 1,000 of it; never a content. */
export async function listArtifacts(c: HttpContext): Promise<Response> {
  return review(c);
}

/**
 * `DELETE /admin/artifacts?principal=<name>[&handle=<27 digits>…]`: the oldest hundred, or those named, can be read no more
 * from now on, and their bytes are deleted. What the bucket refuses is tried again behind a later call. `left` says whether
 * to ask once more.
 */
export async function freeArtifacts(c: HttpContext): Promise<Response> {
  const handles = c.req.queries("handle");
  if (
    handles !== undefined &&
    (handles.length > ARTIFACTS_HANDED_OUT_MAX_COUNT || !handles.every(isHandle))
  ) {
    const problem = `handle is 27 digits, at most ${ARTIFACTS_HANDED_OUT_MAX_COUNT} times`;
    return c.json({ error: "invalid", problems: [problem] }, 400);
  }
  return review(c, handles ?? "all");
}

async function review(c: HttpContext, free?: "all" | string[]): Promise<Response> {
  const principal = c.req.query("principal") ?? "";
  if (principal === "")
    return c.json(
      {
        error: "invalid",
        problems: ["principal is missing: ?principal=<name> says whose artifacts are meant"],
      },
      400,
    );
  const port = principalPort(c.env.PRINCIPALS, principal);
  const reviewed = await port.reviewArtifacts({ version: 1, free });
  if (!reviewed.ok || !("artifacts" in reviewed.value)) {
    logFor(c)(reviewed.ok ? "the principal's object does not know this request" : reviewed.reason.detail);
    return c.json(UNAVAILABLE, 503);
  }
  const { count, bytes, artifacts, freed } = reviewed.value;
  if (free !== undefined) {
    const removed = await artifactsOf(c).retire(principalObjectName(principal), freed);
    if (removed.ok) await port.settle({ version: 1, removed: removed.value });
    else logFor(c)(`freed artifacts stay for now: ${removed.reason.detail}`);
    return c.json({ freed: freed.length, left: count });
  }
  const { max_count, max_bytes } = c.get("config").gateway.artifacts;
  const body = { artifacts: count, bytes, max_artifacts: max_count, max_bytes, newest: artifacts };
  const clean = scrubberFor(c.get("config"), c.env).record(body);
  return c.body(oneLine(JSON.stringify(clean)), 200, { "Content-Type": "application/json" });
}
