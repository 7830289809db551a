import type { BearerClaims } from "../../access/bearer.ts";
import { compareCodePoints } from "../../code-points.ts";
import type { ConnectorManifest, StreamSlots } from "../manifest/manifest.ts";
import type { LearnedSource } from "../source/learned-source.ts";
import type { ReaderAccess, ReaderGrants } from "./access.ts";
import type { Coverage, CoveredFeed, Holder } from "./coverage.ts";
import type { GrantedStream } from "./granted-stream.ts";

/** A manifest and the columns of its streams. */
export interface LoadedManifest {
  readonly manifest: ConnectorManifest;
  readonly slots: ReadonlyMap<string, StreamSlots>;
  /** Of the texts that it was read from, where a reader is held to them. */
  readonly hash?: string;
}

/** One stream of one connection, as D1 has it. */
export interface FeedRow {
  readonly feedId: number;
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly displayName: string | null;
  readonly stream: string;
  /** Whether its rows are being put in another order. */
  readonly isReordered?: boolean;
}

/** One grant, as D1 has it. */
export interface GrantRow {
  readonly id: string;
  readonly packageId: string | null;
  readonly connectionId: string | null;
  readonly source: string | null;
  readonly streams: readonly GrantedStream[];
  readonly isRevoked: boolean;
}

export interface Feeds {
  readonly rows: readonly FeedRow[];
  /** By connector key. */
  readonly manifests: ReadonlyMap<string, LoadedManifest>;
}

/**
 * What a client's or package's grants let it read. A revoked one counts for nothing while another lives. A client without any
 * may read nothing; a package without any is one with nothing in it yet.
 */
export function coverGrants(
  { tokenId, kind }: Pick<BearerClaims, "tokenId" | "kind">,
  grants: readonly GrantRow[],
  feeds: Feeds,
  learned: readonly LearnedSource[] = [],
): ReaderAccess {
  const [first] = grants;
  if (first === undefined) return kind === "package" ? emptyPackage(tokenId) : { standing: "no_grant" };
  const living = grants.filter(({ isRevoked }) => !isRevoked);
  if (living.length === 0) return { standing: "grants_revoked" };
  const unordered = living.flatMap((grant): ReaderGrants["embedded"] => {
    if (grant.connectionId === null) return [];
    const rows = new Map(
      feeds.rows.flatMap((row) => (row.connectionId === grant.connectionId ? [[row.stream, row]] : [])),
    );
    const covered = grant.streams.flatMap((stream) => {
      const row = rows.get(stream.name);
      return row === undefined ? [] : coveredFeed(row, feeds.manifests, grant.id, stream);
    });
    const holder: Holder = { kind: "client", tokenId, grantId: grant.id };
    return [{ grantId: grant.id, coverage: { holder, feeds: inOrder(covered, feeds.manifests) } }];
  });
  // Ids of grants are random: a package's connectors stand in the order that one grant over all of them would have.
  const embedded = unordered.toSorted((left, right) =>
    compareFeeds(left.coverage.feeds[0], right.coverage.feeds[0]),
  );
  const holder: Holder =
    first.packageId === null
      ? { kind: "client", tokenId, grantId: first.id }
      : { kind: "package", tokenId, packageId: first.packageId };
  return {
    standing: "covered",
    whole: {
      holder,
      feeds: inOrder(
        embedded.flatMap(({ coverage }) => coverage.feeds),
        feeds.manifests,
      ),
    },
    embedded,
    external: living.flatMap(({ id, source }) => (source === null ? [] : [{ grantId: id, source }])),
    learned,
  };
}

function emptyPackage(tokenId: string): ReaderGrants {
  const whole: Coverage = { holder: { kind: "package", tokenId, packageId: tokenId }, feeds: [] };
  return { standing: "covered", whole, embedded: [], external: [], learned: [] };
}

/** Everything, for the owner. */
export function coverEverything(tokenId: string, feeds: Feeds): ReaderAccess {
  const covered = feeds.rows.flatMap((row) => coveredFeed(row, feeds.manifests, null, null));
  return {
    standing: "covered",
    whole: { holder: { kind: "owner", tokenId }, feeds: inOrder(covered, feeds.manifests) },
    embedded: [],
    external: [],
    learned: [],
  };
}

/** Nothing where the manifest has the stream no longer: what is not declared is not read. */
function coveredFeed(
  row: FeedRow,
  manifests: Feeds["manifests"],
  grantId: string | null,
  granted: GrantedStream | null,
): readonly CoveredFeed[] {
  const loaded = manifests.get(row.connectorKey);
  const stream = loaded?.manifest.streams.get(row.stream);
  if (loaded === undefined || stream === undefined) return [];
  const { manifest, slots, hash } = loaded;
  return [
    {
      feedId: row.feedId,
      connectionId: row.connectionId,
      connectorKey: row.connectorKey,
      connectorId: manifest.connectorId,
      connectorName: manifest.displayName,
      displayName: row.displayName,
      grantId,
      // Nothing goes by an order that is between two.
      stream: row.isReordered === true ? { ...stream, cursorField: null } : stream,
      isReordered: row.isReordered === true,
      manifestHash: hash,
      slots: slots.get(row.stream) ?? new Map(),
      fields: granted === null || granted.fields === null ? null : new Set(granted.fields),
      resources: granted?.resources ?? null,
      since: granted?.since ?? null,
      until: granted?.until ?? null,
    },
  ];
}

function inOrder(feeds: readonly CoveredFeed[], manifests: Feeds["manifests"]): readonly CoveredFeed[] {
  const placeOf = ({ connectorKey, stream }: CoveredFeed): number =>
    [...(manifests.get(connectorKey)?.manifest.streams.keys() ?? [])].indexOf(stream.name);
  return feeds
    .map((feed) => ({ feed, place: placeOf(feed) }))
    .sort((left, right) => compareFeeds(left.feed, right.feed) || left.place - right.place)
    .map(({ feed }) => feed);
}

/** By connector key and connection; a grant that covers nothing any more comes last. */
function compareFeeds(left: CoveredFeed | undefined, right: CoveredFeed | undefined): number {
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined);
  return (
    compareCodePoints(left.connectorKey, right.connectorKey) ||
    compareCodePoints(left.connectionId, right.connectionId)
  );
}
