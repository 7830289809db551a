import configText from "../loomgate.jsonc";
import { createApp } from "./http/app.ts";

export { PrincipalObject } from "./principal/principal-object.ts";

export default createApp({
  configText,
  gateway: () => ({
    name: "loomgate",
    version: "0",
    instructions: "",
    tools: async () => [],
    call: async () => undefined,
  }),
});
