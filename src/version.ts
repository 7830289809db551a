import { version } from "../package.json";

/** The version of the package, as `/health` and `serverInfo` tell it. */
export const VERSION: string = version;
