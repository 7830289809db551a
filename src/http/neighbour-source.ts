import type { NeighbourSource } from "../catalog/refresh/refresh-ports.ts";
import { NEIGHBOURS_FILE, readNeighbours } from "./neighbours-asset.ts";
import { staticFileAddress, type StaticFiles } from "./static-file.ts";

/** A static file's entity tag is a hash of its content. */
const TAG = /^(?:W\/)?"([\w+/=.:-]{1,128})"$/;

/**
 * The neighbour table of this deployment's static files. Its version is asked for without reading it: a table that is not
 * there has the version `none`, and where nothing can be said the one before stays.
 */
export function neighbourSource(files: StaticFiles, log: (text: string) => void): NeighbourSource {
  return {
    version: async () => {
      try {
        const { status, headers } = await files.fetch(staticFileAddress(NEIGHBOURS_FILE), { method: "HEAD" });
        if (status === 404) return "none";
        return status === 200 ? TAG.exec(headers.get("etag") ?? "")?.[1] : undefined;
      } catch (error) {
        log(`the neighbour table could not be asked for: ${String(error)}`);
        return undefined;
      }
    },
    load: () => readNeighbours(files, log),
  };
}
