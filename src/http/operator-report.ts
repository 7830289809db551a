import type { LedgerView } from "../ledger/ledger-contract.ts";
import { type LedgerUnreachable, ledgerPort } from "../ledger/ledgers-store.ts";
import { operatorReport, type OperatorReport } from "../ledger/status.ts";
import { ok, type Result } from "../result.ts";
import { VERSION } from "../version.ts";
import type { HttpContext } from "./bindings.ts";
import { settingsHash } from "./catalog-port.ts";
import { scrubberFor } from "./scrubber.ts";

export interface ReadReport {
  readonly report: OperatorReport;
  readonly view: LedgerView;
}

/** One question to the ledger's object, and what an operator is told of the answer, without secrets. */
export async function readReport(c: HttpContext): Promise<Result<ReadReport, LedgerUnreachable>> {
  const config = c.get("config");
  const view = await ledgerPort(c.env.LEDGER).read(settingsHash(config) || null);
  if (!view.ok) return view;
  const report = operatorReport({
    version: VERSION,
    servers: Object.entries(config.mcpServers).map(([name, { disabled }]) => ({ name, disabled })),
    view: view.value,
    keptLimits: {
      max_artifacts: config.gateway.artifacts.max_count,
      max_bytes: config.gateway.artifacts.max_bytes,
    },
    clean: scrubberFor(config, c.env).text,
  });
  return ok({ report, view: view.value });
}
