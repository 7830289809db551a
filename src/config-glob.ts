import * as z from "zod";
import { GLOB_MAX_CHARS } from "./limits.ts";

/** A glob as the configuration may have one (`glob.ts`). */
export const glob = z.string().min(1).max(GLOB_MAX_CHARS);
