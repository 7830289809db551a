import type { ArtifactStore } from "../firewall/artifacts/artifact.ts";
import { r2ArtifactStore } from "../firewall/artifacts/artifact-store.ts";
import type { HttpContext } from "./bindings.ts";

/** Where results are kept, for as long as the configuration says. */
export function artifactsOf(c: HttpContext): ArtifactStore {
  return r2ArtifactStore(c.env.ARTIFACTS, { classDays: c.get("config").gateway.artifacts.class_days });
}
