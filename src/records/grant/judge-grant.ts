import { cutAtCodePoint } from "../../code-points.ts";
import {
  GRANT_MEMBERS_MAX_COUNT,
  GRANT_RESOURCES_MAX_COUNT,
  GRANT_STREAMS_MAX_BYTES,
} from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import { isRecordKey } from "../ingest/record-key.ts";
import type { ConnectorManifest, StreamManifest } from "../manifest/manifest.ts";
import { canonicalTime } from "../time/canonical-time.ts";
import type { GrantedStream } from "./granted-stream.ts";

export interface StreamAsk {
  /** A stream's name, or `*` for every one that the connector has now. */
  readonly name: string;
  readonly fields?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
}

/** What an operator wants a new bearer to read. */
export interface GrantAsk {
  readonly connections: readonly { readonly connectionId: string; readonly streams: readonly StreamAsk[] }[];
  /** External sources of the configuration, each as a whole. */
  readonly sources: readonly string[];
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** What there is to be granted. */
export interface Grantable {
  /** The manifest behind each connection, by the connection's id. */
  readonly connections: ReadonlyMap<string, ConnectorManifest>;
  readonly sources: ReadonlySet<string>;
}

/** One grant to be written down: of a connection with its streams, or of a source. */
export type JudgedGrant =
  | { readonly connectionId: string; readonly source: null; readonly streams: readonly GrantedStream[] }
  | { readonly connectionId: null; readonly source: string; readonly streams: readonly [] };

const encoder = new TextEncoder();

/**
 * Judges a request whole: the grants that it makes, one a connection or source, or every problem in words for the operator.
 * A grant never says more later than it said when it was made: `*` becomes the streams that there are, and what a schema
 * requires joins a narrow choice of fields now.
 */
export function judgeGrant(
  ask: GrantAsk,
  grantable: Grantable,
): Result<readonly JudgedGrant[], readonly string[]> {
  const problems: string[] = [];
  const members = ask.connections.length + ask.sources.length;
  if (members === 0) problems.push("name at least one connection or source");
  if (members > GRANT_MEMBERS_MAX_COUNT) {
    return fail([`a bearer reads at most ${GRANT_MEMBERS_MAX_COUNT} connections and sources`]);
  }
  const window = windowOf(ask, problems);
  const named = new Set<string>();
  const grants: JudgedGrant[] = [];
  for (const { connectionId, streams } of ask.connections) {
    const at = `connection ${quoted(connectionId)}`;
    const manifest = grantable.connections.get(connectionId);
    if (named.has(connectionId)) problems.push(`${at} is named twice`);
    named.add(connectionId);
    if (manifest === undefined) {
      problems.push(`${at}: there is no such connection`);
      continue;
    }
    const judged = judgeStreams(streams, manifest, window, at, problems);
    if (encoder.encode(JSON.stringify(judged)).length > GRANT_STREAMS_MAX_BYTES) {
      problems.push(`${at}: more than ${GRANT_STREAMS_MAX_BYTES} bytes of streams, fields and resources`);
    }
    grants.push({ connectionId, source: null, streams: judged });
  }
  for (const source of ask.sources) {
    if (!grantable.sources.has(source)) problems.push(`source ${quoted(source)}: there is no such source`);
    else if (grants.some((grant) => grant.source === source)) {
      problems.push(`source ${quoted(source)} is named twice`);
    }
    grants.push({ connectionId: null, source, streams: [] });
  }
  if (ask.sources.length > 0 && (window.since !== null || window.until !== null)) {
    problems.push("since and until narrow connections; a source is granted as a whole");
  }
  return problems.length > 0 ? fail(problems) : ok(grants);
}

interface Window {
  readonly since: string | null;
  readonly until: string | null;
}

function windowOf(ask: GrantAsk, problems: string[]): Window {
  const read = (name: "since" | "until"): string | null => {
    const text = ask[name];
    if (text === undefined) return null;
    const time = canonicalTime(text);
    if (time === undefined) problems.push(`${name} is a time like 2026-01-31 or 2026-01-31T12:00:00Z`);
    return time ?? null;
  };
  const window = { since: read("since"), until: read("until") };
  if (window.since !== null && window.until !== null && window.since >= window.until) {
    problems.push("since is not before until");
  }
  return window;
}

function judgeStreams(
  asks: readonly StreamAsk[],
  manifest: ConnectorManifest,
  window: Window,
  at: string,
  problems: string[],
): readonly GrantedStream[] {
  if (asks.length === 0) problems.push(`${at}: name at least one stream, or * for all`);
  const seen = new Set<string>();
  return asks.flatMap((ask) => {
    const { name, fields, resources } = ask;
    const isAll = name === "*";
    if (isAll && (fields !== undefined || resources !== undefined)) {
      problems.push(`${at}: fields and resources belong to a stream, not to *`);
      return [];
    }
    const found = isAll ? [...manifest.streams.values()] : [manifest.streams.get(name)];
    return found.flatMap((stream) => {
      if (stream === undefined) {
        problems.push(`${at}: ${manifest.connectorKey} has no stream ${quoted(name)}`);
        return [];
      }
      const where = `${at}, stream ${quoted(stream.name)}`;
      if (seen.has(stream.name)) problems.push(`${where} is named twice`);
      seen.add(stream.name);
      if (stream.consentTimeField === null && (window.since !== null || window.until !== null)) {
        problems.push(`${where} has no consent time, so since and until cannot narrow it`);
      }
      return [
        {
          name: stream.name,
          fields: judgeFields(fields, stream, where, problems),
          resources: judgeResources(resources, where, problems),
          ...window,
        },
      ];
    });
  });
}

/** In the manifest's order, so that the same choice is the same text. */
function judgeFields(
  fields: readonly string[] | undefined,
  stream: StreamManifest,
  where: string,
  problems: string[],
): readonly string[] | null {
  if (fields === undefined) return null;
  if (fields.length === 0) problems.push(`${where}: name at least one field, or leave fields out for all`);
  for (const field of fields) {
    if (!stream.fields.has(field)) problems.push(`${where} has no field ${quoted(field)}`);
  }
  const chosen = new Set(fields);
  return [...stream.fields.values()]
    .filter(({ name, required }) => required || chosen.has(name))
    .map(({ name }) => name);
}

function judgeResources(
  resources: readonly string[] | undefined,
  where: string,
  problems: string[],
): readonly string[] | null {
  if (resources === undefined) return null;
  if (resources.length === 0)
    problems.push(`${where}: name at least one record, or leave resources out for all`);
  if (resources.length > GRANT_RESOURCES_MAX_COUNT) {
    problems.push(`${where}: at most ${GRANT_RESOURCES_MAX_COUNT} records`);
    return [];
  }
  for (const key of resources) {
    if (!isRecordKey(key)) {
      problems.push(`${where}: ${quoted(key)} is no record's key`);
    }
  }
  return [...new Set(resources)];
}

const QUOTED_MAX_CHARS = 64;

function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_MAX_CHARS ? `${cutAtCodePoint(text, QUOTED_MAX_CHARS)}…` : text);
}
