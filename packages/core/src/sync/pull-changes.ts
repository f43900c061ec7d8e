import { ServiceError, type StoredObject } from "@sallyport/storage";
import { admitAgain } from "../access/index.ts";
import type { QueryRequest, ObjectServices } from "../objects/index.ts";
import { maintenanceError, type SessionContext, type Uses } from "../request/index.ts";
import type { OnEnd, ChangeWatch } from "./change-watch.ts";
import { isEmpty, type PulledChanges, readPage } from "./pull-page.ts";
import { queriedView, type SchemaView, schemaView } from "./schema-view.ts";
import { type PullPlace, openPullCursor, sealPullCursor } from "./sync-cursor.ts";
import { syncFailure } from "./sync-failure.ts";
import { type SyncObject, syncObjects } from "./sync-objects.ts";
import { movedParts, parseSyncVersion, partOf, restart, type SyncVersion, syncVersionText } from "./sync-version.ts";
import type { SyncSchemas } from "./sync-schemas.ts";

/** A request for changes. */
export interface PullInput {
  readonly schemaName: string | undefined;
  /** As sent by the client. */
  readonly syncVersion: unknown;
  /** The other members, or their fault: 332 or 329. It is thrown after the checks of schema and version. */
  readonly rest: PullOptions | ServiceError;
  /** Lets the request wait; `null` if it must not. */
  readonly suspend: Suspend | null;
}

/** Services of pulls. */
export interface PullServices extends Pick<ObjectServices, "cursorSealing"> {
  readonly syncSchemas: SyncSchemas;
  readonly changeWatch: ChangeWatch;
}

interface PullContext extends SessionContext, Uses<PullServices> {}

/** Options of a pull. */
export interface PullOptions {
  readonly query?: QueryRequest | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Seconds. */
  readonly wait?: number | undefined;
}

/** Runs a wait during which the request counts as no load. */
export type Suspend = <T>(wait: (onEnd: OnEnd) => Promise<T>) => Promise<T>;

/** A page of a pull. */
export interface PullPage {
  /** Another one in a restored database. */
  readonly database: string;
  readonly changed: readonly SyncObject[];
  readonly deleted: PulledChanges["deleted"];
  readonly excluded: readonly string[];
  readonly hasMore: boolean;
  /** Present if `hasMore`. */
  readonly cursor?: string;
  /** Absent if `hasMore`. */
  readonly syncVersion?: string;
  readonly checksum: string;
}

/** A pull whose schema and version are checked. */
interface CheckedPull {
  readonly view: SchemaView;
  readonly version: SyncVersion | null;
  readonly options: PullOptions;
  readonly watermark: number;
}

/** The pull of a version that has been checked; see `acceptSyncVersion`. */
export interface DeltaInput extends Pick<PullOptions, "limit" | "cursor"> {
  readonly version: SyncVersion | null;
  /** Versions that the client has, by UUID. Objects with exactly these are omitted. */
  readonly omit?: ReadonlyMap<string, number>;
}

/**
 * One page of the changes since the version of a client. With `wait`, waits for the first change.
 *
 * 717, 611, 335, 333, 721: see `SyncSchemas`. 338, 330: no version, or one that must restart. 332: another invalid member,
 * a cursor of another pull, or a schema for pushes only. 329, 307: invalid query. 716: the changes cannot be read.
 */
export async function pullChanges(context: PullContext, input: PullInput): Promise<PullPage> {
  const pulled = await checkPull(context, input);
  const { wait = 0, cursor } = pulled.options;
  if (wait > 0 && input.suspend === null)
    throw new ServiceError(332, { detail: "at /wait: A request inside another one cannot wait." });
  const changes = await changesOf(context, pulled);
  if (wait === 0 || cursor !== undefined || input.suspend === null || !isQuiet(changes))
    return pageOf(context, pulled, changes);
  return pullLater(context, input, input.suspend, pulled);
}

/** The changes since a version that has been checked, such as after a push. */
export async function pullDelta(
  context: PullContext,
  view: SchemaView,
  { version, omit, ...options }: DeltaInput,
): Promise<PullPage> {
  const pulled = { view, version, options, watermark: await watermarkOf(context) };
  return pageOf(context, pulled, await changesOf(context, pulled, omit));
}

/** Waits for changes. The session is admitted again before each look at them. */
async function pullLater(
  first: PullContext,
  input: PullInput,
  suspend: Suspend,
  { view, version, options, watermark }: CheckedPull,
): Promise<PullPage> {
  const { now } = first.database;
  const until = now() + (options.wait ?? 0) * 1_000;
  let [context, seen, classes] = [first, watermark, view.classes];
  for (;;) {
    const milliseconds = Math.max(0, until - now());
    const outcome = await suspend((onEnd) => {
      return first.services.changeWatch.wait(context, { classes, stamp: seen, milliseconds, onEnd });
    });
    context = await readmitted(first);
    const pulled = await checkPull(context, input);
    // The client has nothing new up to the stamp of the latest look.
    const since = version === null ? null : { ...version, stamp: seen };
    const changes = await changesOf(context, { ...pulled, version: since });
    if (outcome === "over" || !isQuiet(changes)) return pageOf(context, pulled, changes);
    [seen, classes] = [pulled.watermark, pulled.view.classes];
  }
}

async function checkPull(context: PullContext, { schemaName, syncVersion, rest }: PullInput): Promise<CheckedPull> {
  const required = await context.services.syncSchemas.require(context, schemaName);
  const version = parseSyncVersion(syncVersion);
  const base = await schemaView(context, required);
  const watermark = await acceptSyncVersion(context, base, version);
  if (rest instanceof ServiceError) throw rest;
  if (required.schema.direction === "push") throw new ServiceError(332, { detail: "The schema is for pushes only." });
  const { query } = rest;
  const view = query === undefined ? base : await queriedView(context, base, query);
  if (version !== null && version.generation !== view.generation) throw restart("`syncVersion` is of another query.");
  return { view, version, options: rest, watermark };
}

async function changesOf(
  context: PullContext,
  { view, version, options: { limit = view.schema.pageSize, cursor }, watermark }: CheckedPull,
  omit: DeltaInput["omit"] = new Map(),
): Promise<PlacedChanges> {
  const place =
    cursor === undefined
      ? { upTo: watermark, after: { stamp: version?.stamp ?? 0, id: null }, referrers: null }
      : await openPullCursor(context, view, version, cursor);
  const window = { since: version?.stamp ?? null, limit, omit };
  return { place, ...(await readPage(context, view, window, place)) };
}

async function pageOf(
  context: PullContext,
  { view, version }: CheckedPull,
  { place: { upTo }, changed, deleted, excluded, next }: PlacedChanges,
): Promise<PullPage> {
  const { generation } = view;
  return {
    database: partOf(generation, "database"),
    changed: await syncObjects(context, view, changed),
    deleted,
    excluded,
    hasMore: next !== null,
    ...(next === null
      ? { syncVersion: syncVersionText({ generation, stamp: upTo }) }
      : { cursor: await sealPullCursor(context, view, version, next) }),
    checksum: context.database.digests.sha256(checksumText(changed, deleted, excluded)),
  };
}

interface PlacedChanges extends PulledChanges {
  readonly place: PullPlace;
}

function isQuiet(changes: PulledChanges): boolean {
  return isEmpty(changes) && changes.next === null;
}

/** The current watermark, for a view without a query. 330 for a version of another generation, or from the future. 716 if it cannot be read. */
export async function acceptSyncVersion(
  context: SessionContext,
  view: SchemaView,
  version: SyncVersion | null,
): Promise<number> {
  const moved = version === null ? [] : movedParts(version.generation, view.generation);
  if (moved.some((part) => part !== "query"))
    throw restart("The database, the schema or the rights of the caller are others now.");
  const watermark = await watermarkOf(context);
  if (version !== null && version.stamp > watermark) throw restart("`syncVersion` is from the future.");
  return watermark;
}

/** 330 for a version from before deletions that are forgotten. A pull checks this itself. 716 if it cannot be read. */
export async function requireNotSwept({ r, unit }: SessionContext, version: SyncVersion | null): Promise<void> {
  if (version === null) return;
  const query = { classes: [], after: { stamp: version.stamp, id: null }, upTo: version.stamp, limit: 1 };
  const { swept } = await r.objects.changes(query).catch((error: unknown) => {
    throw unit.joined ? error : syncFailure(716, error);
  });
  if (swept > version.stamp) throw restart("Deletions after this version are forgotten.");
}

async function watermarkOf({ r, unit }: SessionContext): Promise<number> {
  try {
    return await r.objects.watermark();
  } catch (error) {
    throw unit.joined ? error : syncFailure(716, error);
  }
}

/** The context of a session that is still admitted. 201 or 203 if it has ended, 101 without the app key, 706 in a maintenance. */
async function readmitted(context: PullContext): Promise<PullContext> {
  const { r, database, sessionEndedCode } = context;
  const admission = await admitAgain(r, context, { extends: true });
  if (admission.maintenance) throw await maintenanceError(database);
  if (admission.appKey?.enabled !== true) throw new ServiceError(101);
  if (admission.session === null || admission.principal === null) throw new ServiceError(sessionEndedCode);
  const { appKey: admitted, session: live, principal, modelGeneration, settingsGeneration } = admission;
  return { ...context, appKey: admitted, session: live, principal, modelGeneration, settingsGeneration };
}

/** The text whose digest is the checksum of a page. */
export function checksumText(
  changed: readonly Pick<StoredObject, "uuid" | "version">[],
  deleted: PulledChanges["deleted"],
  excluded: readonly string[],
): string {
  return [
    ...changed.map(({ uuid, version }) => `c ${uuid} ${version}\n`),
    ...deleted.map(({ uuid, version }) => `d ${uuid} ${version}\n`),
    ...excluded.map((uuid) => `x ${uuid}\n`),
  ].join("");
}
