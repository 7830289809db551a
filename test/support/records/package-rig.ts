import { beforeAll } from "vitest";
import { createPackageSource } from "../../../src/records/source/package-source.ts";
import type { Seal } from "../../../src/records/seal/seal.ts";
import type { ReadAnswer, ReadSource } from "../../../src/records/source/read-source.ts";
import { answer, authorityOf, connection, type FakeSource, fakeSource, freshSeal } from "./read-sources.ts";

export const PACKAGE_HOLDER = { kind: "package", tokenId: "t1", packageId: "p1" } as const;

/** Hanging members are given up within this time, which no test waits for otherwise. */
const MEMBER_MS = 50;

let seal: Seal;
beforeAll(async () => {
  seal = await freshSeal();
});

/** The seal of this file's packages. */
export function packageSeal(): Seal {
  return seal;
}

/** These sources as one bearer's; asked for inside a test. */
export function packageOf(sources: readonly ReadSource[], memberTimeoutMs = MEMBER_MS): ReadSource {
  const members = sources.map((source, at) => ({
    id: `g${at}`,
    name: `source ${at}`,
    authority: authorityOf(source, at),
    source,
  }));
  return createPackageSource({ holder: PACKAGE_HOLDER, members, seal, memberTimeoutMs });
}

/** Grants of the embedded server over the connections `c0`, `c1`, … */
export function plain(count: number): readonly FakeSource[] {
  return Array.from({ length: count }, (_, at) => fakeSource({ connections: [connection(`c${at}`)] }));
}

export function calls(sources: readonly FakeSource[]): readonly number[] {
  return sources.map(({ asked }) => asked.length);
}

export function bodyOf(read: ReadAnswer): unknown {
  if (!read.ok) throw new Error(`refused: ${JSON.stringify(read.error)}`);
  return read.body;
}

/** The compact schema of one connection. */
export function schemaOf(key: string, connectionId: string, streams: readonly string[]): ReadAnswer {
  return answer({
    object: "schema",
    detail: "compact",
    bearer: { token_kind: "client" },
    connectors: [
      {
        connector_key: key,
        streams: streams.map((name) => ({ name, field_capabilities: { id: "t=string,eq" } })),
        granted_connections: [{ connection_id: connectionId }],
      },
    ],
  });
}
