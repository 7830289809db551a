import { BUNDLED_CONFIG_TEXT } from "./bundled-config.ts";
import { createApp } from "./http/app.ts";
import { catalogReader } from "./http/catalog-port.ts";
import { gatewayFor, proxyFor, selectionApiFor } from "./http/gateway-ports.ts";

export { CatalogObject } from "./http/catalog-object.ts";
export { LedgerObject } from "./ledger/ledger-object.ts";
export { PrincipalObject } from "./principal/principal-object.ts";

export default createApp({
  configText: BUNDLED_CONFIG_TEXT,
  gateway: (c) => gatewayFor(c, catalogReader(c)),
  proxy: (c, names) => proxyFor(c, catalogReader(c), names),
  api: (c) => selectionApiFor(c, catalogReader(c)),
});
