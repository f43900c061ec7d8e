import { atMost, jsonBytes, type JsonValue, type ObjectId, ServiceError, type StoredObject } from "@sallyport/storage";
import type { QueryRequest } from "../../objects/index.ts";
import { type SessionContext, withCurrentModel } from "../../request/index.ts";
import { type AppliedChange, applyChanges } from "./apply-changes.ts";
import type { PushedChange } from "./change-results.ts";
import { acceptSyncVersion, checksumText, type PullPage, requireNotSwept, pullDelta } from "../pull-changes.ts";
import { queriedView, type SchemaView, schemaView } from "../schema-view.ts";
import { type SyncObject, syncObjects } from "../sync-objects.ts";
import { requirePush, type SyncConflict } from "./device-change.ts";
import { liveTargets, matchingIds } from "./sync-targets.ts";
import {
  neverSynchronized,
  parseSyncVersion,
  partOf,
  restart,
  type SyncVersion,
  syncVersionText,
} from "../sync-version.ts";
import type { PushContext } from "./change-writer.ts";

export interface PushInput {
  readonly schemaName: string;
  /** As sent by the client. */
  readonly syncVersion: unknown;
  /** The other members, or their fault: 332 or 329. It is thrown after the checks of schema and version. */
  readonly rest: PushOptions | ServiceError;
  /** Whether no further change starts. */
  readonly isLate: () => boolean;
}

export interface PushOptions {
  readonly changes: readonly PushedChange[];
  /** Whether all changes succeed or none has an effect. */
  readonly atomic: boolean;
  /** Of the delta to return. */
  readonly query: QueryRequest | undefined;
  readonly limit: number | undefined;
}

/** The result of one change. */
export interface PushResult extends Pick<AppliedChange, "uuid" | "error" | "outcome"> {
  readonly id: string;
  readonly object?: SyncObject;
}

export interface PushAnswer extends PullPage {
  /** In the order of the changes. */
  readonly results: readonly PushResult[];
}

/** Bytes of the objects and conflicts of an answer. Objects without room here are in the delta. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Applies changes of a device, then returns the delta since its version. Errors, in this order: 717, 611, 333, 338,
 * 330, 332, 329. A change that fails is a result, and an error of an atomic push.
 */
export async function pushChanges(context: PushContext, input: PushInput): Promise<PushAnswer> {
  // A repetition finds the results of the changes that were stored before the model changed.
  return withCurrentModel(context, ({ generation }) =>
    pushUnderModel({ ...context, modelGeneration: generation }, input),
  );
}

async function pushUnderModel(
  context: PushContext,
  { schemaName, syncVersion, rest, isLate }: PushInput,
): Promise<PushAnswer> {
  const required = await context.services.syncSchemas.require(context, schemaName);
  const version = parseSyncVersion(syncVersion);
  const view = await schemaView(context, required);
  await acceptSyncVersion(context, view, version);
  await requireNotSwept(context, version);
  if (rest instanceof ServiceError) throw rest;
  const { changes, atomic, query, limit } = rest;
  refuseRepetitions(changes);
  requirePush(required);
  const pulled = query === undefined ? view : await queriedView(context, view, query);
  if (version !== null && version.generation !== pulled.generation) throw restart("`syncVersion` is of another query.");
  const applied = await applyChanges(context, view, { changes, atomic, isLate });
  const { appliedChanges, objects } = withinBytes(applied);
  const shown = new Map((await syncObjects(context, view, objects)).map((object) => [object["~UUID"], object]));
  const resultsWith = (latest: ReadonlyMap<string, SyncObject>) =>
    appliedChanges.map(({ uuid, error, outcome, object }, index): PushResult => {
      const { id } = changes[index] as PushedChange;
      const written = latest.get(uuid) ?? (object === null ? undefined : shown.get(object.uuid));
      return { id, uuid, error, outcome, ...(written === undefined ? {} : { object: written }) };
    });
  if (required.schema.direction === "push")
    return { results: resultsWith(new Map()), ...noChanges(context, pulled, version) };
  const omit = await knownVersions(context, pulled, appliedChanges, shown);
  const delta = await pullDelta(context, pulled, {
    version,
    omit,
    ...(limit === undefined ? {} : { limit }),
  });
  const page = await withUntold(context, pulled, delta, { appliedChanges, omit, isFirst: version === null });
  // Another user has shown or hidden a target of such an object: its version is known, its value is not.
  const own = new Map<string, SyncObject>();
  const changed: SyncObject[] = [];
  for (const object of page.changed) {
    if (omit.get(object["~UUID"]) === object["~Version"]) own.set(object["~UUID"], object);
    else changed.push(object);
  }
  const results = resultsWith(own);
  return { results, ...(own.size === 0 ? page : withLists(context, page, { ...page, changed })) };
}

/** The page of a schema that does not allow pulls. The client stays at its version. */
function noChanges({ database }: SessionContext, { generation }: SchemaView, version: SyncVersion | null): PullPage {
  return {
    database: partOf(generation, "database"),
    changed: [],
    deleted: [],
    excluded: [],
    hasMore: false,
    syncVersion: version === null ? neverSynchronized : syncVersionText(version),
    checksum: database.digests.sha256(checksumText([], [], [])),
  };
}

type PageLists = Pick<PullPage, "changed" | "deleted" | "excluded">;

/** The page with other lists. */
function withLists({ database }: SessionContext, page: PullPage, { changed, deleted, excluded }: PageLists): PullPage {
  const versions = changed.map((object) => ({ uuid: object["~UUID"], version: object["~Version"] }));
  const checksum = database.digests.sha256(checksumText(versions, deleted, excluded));
  return { ...page, changed, deleted, excluded, checksum };
}

/**
 * The page with the objects of results that it lacks: the client knows neither the version from the result nor from a list.
 * A pull would not tell all of them, such as one that has left the filter since an earlier push. Later pages tell
 * changes, and the ends of objects unless the client starts over: this page does not repeat them.
 */
async function withUntold(
  context: SessionContext,
  view: SchemaView,
  page: PullPage,
  { appliedChanges, omit, isFirst }: ClientState,
): Promise<PullPage> {
  if (page.hasMore && !isFirst) return page;
  const pageUuids = new Set([...omit.keys(), ...page.excluded]);
  for (const object of page.changed) pageUuids.add(object["~UUID"]);
  for (const { uuid } of page.deleted) pageUuids.add(uuid);
  const untold = appliedChanges.flatMap(({ error, uuid }) => (error === null && !pageUuids.has(uuid) ? uuid : []));
  if (untold.length === 0) return page;
  const live = await liveTargets(context, view, untold, context.database.answerBytes);
  const toShow = page.hasMore ? [] : untold;
  const objects = toShow.flatMap((uuid): StoredObject[] => {
    const object = live.get(uuid);
    return object === undefined || object === "outside" ? [] : [object];
  });
  const missing = untold.filter((uuid) => !live.has(uuid));
  const tombstones = await Promise.all(
    missing.map((uuid) => context.r.deletion.find({ kind: "uuid", uuid }, view.visibility)),
  );
  const changed = [...page.changed, ...(await syncObjects(context, view, objects))];
  const deleted = [
    ...page.deleted,
    ...tombstones.flatMap((tombstone) => tombstone ?? []).map(({ uuid, version }) => ({ uuid, version })),
  ];
  const excluded = [
    ...page.excluded,
    ...untold.filter((uuid) => live.get(uuid) === "outside"),
    ...missing.filter((_, index) => tombstones[index] === null),
  ];
  return withLists(context, page, { changed, deleted, excluded });
}

interface ClientState {
  readonly appliedChanges: readonly AppliedChange[];
  /** The versions that the client knows. */
  readonly omit: ReadonlyMap<string, number>;
  /** Whether the client has never synchronized. */
  readonly isFirst: boolean;
}

/** The versions that the client knows from the results. An object that left the filter is excluded, and so not among them. */
async function knownVersions(
  { r }: SessionContext,
  view: SchemaView,
  applied: readonly AppliedChange[],
  shown: ReadonlyMap<string, SyncObject>,
): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>();
  const uuids = new Map<ObjectId, string>();
  for (const { uuid, outcome, object, isRepeated } of applied) {
    if (outcome === null || isRepeated || (object !== null && !shown.has(uuid))) continue;
    versions.set(uuid, outcome.version);
    if ("objectId" in outcome) uuids.set(outcome.objectId, uuid);
  }
  const matching = await matchingIds(r, view, [...uuids.keys()]);
  for (const [id, uuid] of uuids) if (!matching.has(id)) versions.delete(uuid);
  return versions;
}

/** Removes what would make the answer too large: conflicting values, then objects. */
function withinBytes(applied: readonly AppliedChange[]): {
  readonly appliedChanges: readonly AppliedChange[];
  readonly objects: readonly StoredObject[];
} {
  let left = maxBytes;
  const takes = (value: JsonValue): boolean => {
    const bytes = jsonBytes(value, atMost);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  const appliedChanges = applied.map((each): AppliedChange => {
    const { outcome } = each;
    if (outcome === null || !("conflicts" in outcome)) return each;
    const conflicts = outcome.conflicts.map(({ theirs, ...conflict }): SyncConflict => {
      return theirs !== undefined && takes(theirs) ? { ...conflict, theirs } : conflict;
    });
    return { ...each, outcome: { ...outcome, conflicts } };
  });
  return {
    appliedChanges,
    objects: appliedChanges.flatMap(({ object }) => (object !== null && takes(object.attributes) ? object : [])),
  };
}

/** 332 for changes with the same id or the same object. */
function refuseRepetitions(changes: readonly Pick<PushedChange, "id" | "uuid">[]): void {
  const [ids, uuids] = [new Set<string>(), new Set<string>()];
  for (const [index, { id, uuid }] of changes.entries()) {
    if (ids.has(id)) throw new ServiceError(332, { detail: `at /ops/${index}/id: Another change has the same id.` });
    if (uuids.has(uuid))
      throw new ServiceError(332, { detail: `at /ops/${index}/uuid: Another change is for the same object.` });
    ids.add(id);
    uuids.add(uuid);
  }
}
