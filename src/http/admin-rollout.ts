import type { MoveAnswer } from "../catalog/refresh/refresh-contract.ts";
import { NOT_FOUND, UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { catalogReader } from "./catalog-port.ts";
import { logFor } from "./log.ts";
import { scrubberFor } from "./scrubber.ts";

type Refused = Extract<MoveAnswer, { moved: false }>;

/**
 * `POST /admin/upstreams/{name}/promote|rollback`: moves a server's calls to its candidate, or back. A candidate that breaks
 * what callers know is refused, with what differs, unless the operator says `?breaking=accept`. 409 where nothing was moved.
 */
export async function moveUpstream(c: HttpContext): Promise<Response> {
  const server = c.req.param("name") ?? "";
  const move = c.req.param("move") === "promote" ? "promote" : "rollback";
  const breaking = c.req.query("breaking");
  if (breaking !== undefined && breaking !== "accept") {
    return c.json({ error: "invalid", problems: ["breaking is accept, or left out"] }, 400);
  }
  const reader = catalogReader(c);
  const answer = await reader.move({ server, move, acceptBreaking: breaking === "accept" });
  if (!answer.ok) {
    logFor(c)(answer.reason.detail);
    return c.json(UNAVAILABLE, 503);
  }
  const scrubber = scrubberFor(c.get("config"), c.env);
  const { value } = answer;
  if (!value.moved) return refused(c, value, scrubber);
  const { active, generation, catalogGeneration, comparison, diff } = value;
  const moved = { server, active, generation, catalog_generation: catalogGeneration, comparison };
  return c.json(scrubber.record({ ...moved, ...(diff === undefined ? {} : { diff }) }));
}

function refused(
  c: HttpContext,
  { reason, comparison, diff, detail }: Refused,
  scrubber: ReturnType<typeof scrubberFor>,
): Response {
  const why = {
    error: reason,
    message: MESSAGES[reason],
    ...(comparison === undefined ? {} : { comparison }),
    ...(diff === undefined ? {} : { diff }),
    ...(detail === undefined ? {} : { reason: detail }),
  };
  switch (reason) {
    case "unknown_server":
      return c.json(NOT_FOUND, 404);
    case "problems":
    case "unpublished":
      return c.json(scrubber.record({ ...UNAVAILABLE, ...why, error: UNAVAILABLE.error }), 503);
    case "no_candidate":
    case "already_active":
    case "nothing_to_roll_back":
    case "candidate_rejected":
    case "breaking":
    case "pinned":
    case "generation_exhausted":
      return c.json(scrubber.record(why), 409);
  }
}

const MESSAGES: Readonly<Record<Refused["reason"], string>> = {
  unknown_server: "the configuration has no such server",
  no_candidate: "the server has no candidate at another address: write one in its block",
  already_active: "the candidate is the active target already",
  nothing_to_roll_back: "there is no promotion to take back",
  candidate_rejected: "the target could not be listed",
  breaking:
    "tools that callers know would be gone or asked otherwise: ?breaking=accept moves the calls all the same",
  pinned: "the catalog would not be the one that gateway.pin names",
  unpublished: "the catalog could not be published",
  problems: "the configuration cannot be used",
  generation_exhausted: "the server has no generation left",
};
