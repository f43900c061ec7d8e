import { targetSubtree } from "../model/index.ts";
import type { SessionContext } from "../request/index.ts";
import {
  AnswerTooLargeError,
  type AttributeDefinition,
  type Change,
  type ChangePosition,
  defaultAnswerBytes,
  type Filter,
  idsOf,
  isLink,
  isVisible,
  type ObjectId,
  objectNumber,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import type { SchemaView } from "./schema-view.ts";
import type { PullPlace, ReferrerPlace } from "./sync-cursor.ts";
import { syncFailure } from "./sync-failure.ts";
import { maxPageSize } from "./sync-schema.ts";
import { restart } from "./sync-version.ts";

/** Bytes of the attributes of a page. An object that is larger comes alone. */
const maxPageBytes = 4 * 1024 * 1024;
/** Bytes of one target in a page. */
const targetBytes = 48;
/** Maximum number of reads for one page, if the caller sees nothing of their changes. */
const maxReads = 10;
/** Maximum number of links to the objects of one page that appeared or vanished. */
const maxReferrers = 10_000;

/** The pull that a page belongs to. */
export interface PullWindow {
  /** The stamp of the client; `null` if it has never synchronized. */
  readonly since: number | null;
  /** Maximum number of changes of a page. */
  readonly limit: number;
  /** Versions that the client has, by UUID. */
  readonly omit: ReadonlyMap<string, number>;
}

/** Changes for the caller. No object is in two of the lists. */
export interface PulledChanges {
  readonly changed: readonly StoredObject[];
  readonly deleted: readonly { readonly uuid: string; readonly version: number }[];
  readonly excluded: readonly string[];
  /** The place of the next page; `null` after the last one. */
  readonly next: PullPlace | null;
}

/** Reads one page of a pull. 716 if the changes cannot be read, 330 if they are forgotten. */
export async function readPage(
  context: SessionContext,
  view: SchemaView,
  window: PullWindow,
  place: PullPlace,
): Promise<PulledChanges> {
  const pull = { context, view, window, upTo: place.upTo };
  if (place.referrers !== null) return pageOfReferrers(pull, place, place.referrers);
  let page = await pageOfChanges(pull, place.after);
  for (let reads = 1; reads < maxReads && isEmpty(page) && page.next?.referrers === null; reads += 1)
    page = await pageOfChanges(pull, page.next.after);
  return page;
}

/** Whether a page has nothing for the client. */
export function isEmpty({ changed, deleted, excluded }: Pick<PulledChanges, "changed" | "deleted" | "excluded">) {
  return changed.length === 0 && deleted.length === 0 && excluded.length === 0;
}

/** The pull of a page, and the stamp that it ends at. */
interface Pull {
  readonly context: SessionContext;
  readonly view: SchemaView;
  readonly window: PullWindow;
  readonly upTo: number;
}

/** The changes after a position, and the referrers of objects that appeared or vanished. */
async function pageOfChanges(pull: Pull, after: ChangePosition): Promise<PulledChanges> {
  const { limit } = pull.window;
  const changes = await read(pull, after, limit + 1);
  const rows = changes.slice(0, limit);
  const roots = rootsOf(pull, rows);
  const referrers = await referrersOf(pull, rows);
  const { objects, taken } = await load(pull, [...roots, ...referrers.slice(0, limit - rows.length)]);
  const firstLeft = roots[taken];
  const done = firstLeft === undefined ? rows : rows.slice(0, indexOfRoot(rows, firstLeft));
  const page = referrers.slice(0, Math.max(0, taken - roots.length));
  const last = done.at(-1);
  const { changed, ...others } = listsOf(pull, done, objects);
  return {
    ...others,
    changed: [...changed, ...page.flatMap((id) => objects.get(id) ?? [])],
    next:
      last === undefined || (done.length === changes.length && page.length === referrers.length)
        ? null
        : {
            upTo: pull.upTo,
            after: { stamp: last.stamp, id: last.id },
            referrers: page.length === referrers.length ? null : { from: after, after: page.at(-1) ?? null },
          },
  };
}

/** More referrers of the objects of an earlier page. */
async function pageOfReferrers(pull: Pull, place: PullPlace, { from, after }: ReferrerPlace): Promise<PulledChanges> {
  const changes = await read(pull, from, maxPageSize);
  const rows = changes.filter((row) => !isBehind(row, place.after));
  const all = await referrersOf(pull, rows);
  const left = after === null ? all : all.filter((id) => objectNumber(id) > objectNumber(after));
  const { objects, taken } = await load(pull, left.slice(0, pull.window.limit));
  const page = left.slice(0, taken);
  return {
    changed: page.flatMap((id) => objects.get(id) ?? []),
    deleted: [],
    excluded: [],
    next: { ...place, referrers: taken === left.length ? null : { from, after: page.at(-1) ?? after } },
  };
}

async function read(
  { context: { r, unit }, view, window, upTo }: Pull,
  after: ChangePosition,
  limit: number,
): Promise<readonly Change[]> {
  const query = { classes: view.classes, after, upTo, limit };
  const { changes, swept } = await r.objects.changes(query).catch((error: unknown) => {
    throw unit.joined ? error : syncFailure(716, error);
  });
  if (window.since !== null && swept > window.since) throw restart("Deletions after this version are forgotten.");
  return changes;
}

/** The objects to send, in the order of the rows. */
function rootsOf({ view: { visibility }, window: { omit } }: Pull, rows: readonly Change[]): ObjectId[] {
  const roots: ObjectId[] = [];
  for (const row of rows)
    if (row.kind === "stored" && isVisible(row, visibility) && omit.get(row.uuid) !== row.version) roots.push(row.id);
  return roots;
}

/** Whether the caller saw the object before the change. */
function sawBefore({ className, readersBefore: readers }: Change, visibility: Visibility): boolean {
  return isVisible({ className, readers }, visibility);
}

/** Sorts the rows into lists by the final state of their objects. */
function listsOf(
  { view: { visibility }, window: { since, omit } }: Pull,
  rows: readonly Change[],
  objects: ReadonlyMap<ObjectId, StoredObject>,
) {
  const changed: StoredObject[] = [];
  const deleted = new Map<string, number>();
  const left = new Set<string>();
  const present = new Set<string>();
  for (const row of rows) {
    const object = row.kind === "stored" ? objects.get(row.id) : undefined;
    if (object !== undefined) changed.push(object);
    if (object !== undefined || omit.get(row.uuid) === row.version) present.add(row.uuid);
    else if (row.kind === "stored") {
      if (isVisible(row, visibility) || sawBefore(row, visibility)) left.add(row.uuid);
    } else if (row.kind === "superseded") {
      // The change that superseded it tells what an object is that the caller sees.
      if (!isVisible(row, visibility) && sawBefore(row, visibility)) left.add(row.uuid);
    } else if (isVisible(row, visibility) || sawBefore(row, visibility)) deleted.set(row.uuid, row.version);
  }
  if (since === null) return { changed, deleted: [], excluded: [] };
  return {
    changed,
    deleted: Array.from(deleted, ([uuid, version]) => ({ uuid, version })),
    excluded: [...left].filter((uuid) => !present.has(uuid) && !deleted.has(uuid)),
  };
}

/**
 * Objects of the schema that refer to those that appeared or vanished, by number, without those of the rows. Their
 * references change with the visibility of the targets.
 */
async function referrersOf(pull: Pull, rows: readonly Change[]): Promise<ObjectId[]> {
  const { context, view, window } = pull;
  if (window.since === null) return [];
  const { visibility } = view;
  const moved = rows.filter((row) => mayHaveAppeared(row, visibility) || hasVanished(row, visibility));
  const attributes = linksTo(new Set(moved.map(({ className }) => className)), view);
  if (attributes.length === 0) return [];
  const ids = [...new Set(moved.map(({ id }) => id))];
  const links = await context.r.deletion.referrers(ids, { attributes, limit: maxReferrers + 1 });
  if (links.length > maxReferrers) throw restart("Too many objects refer to objects that appeared or vanished.");
  const roots = new Set(rootsOf(pull, rows));
  const referrers = new Set(links.map(({ id }) => id).filter((id) => !roots.has(id)));
  return [...referrers].toSorted((one, other) => objectNumber(one) - objectNumber(other));
}

/**
 * Whether the caller sees the object now, and possibly did not before. After several changes of the readers, the last
 * one does not tell whether all earlier readers could read the object before the first one.
 */
function mayHaveAppeared(row: Change, visibility: Visibility): boolean {
  return row.reveals && (row.kind === "stored" || row.kind === "superseded") && isVisible(row, visibility);
}

/** Whether the caller saw the object before, and does not now. A permanent deletion is a write of the referrers. */
function hasVanished(row: Change, visibility: Visibility): boolean {
  if (row.kind === "recycled") return isVisible(row, visibility) || sawBefore(row, visibility);
  return row.kind !== "deleted" && sawBefore(row, visibility) && !isVisible(row, visibility);
}

/** The links of the schema that can refer to objects of these classes. */
function linksTo(targets: ReadonlySet<string>, { fields, model }: SchemaView) {
  if (targets.size === 0) return [];
  const isLinkToThem = (field: AttributeDefinition) =>
    isLink(field.type) && (targetSubtree(field, model)?.some((each) => targets.has(each)) ?? true);
  return [...fields].flatMap(([className, ofClass]) =>
    [...ofClass.values()].filter(isLinkToThem).map(({ name: attribute }) => ({ className, attribute })),
  );
}

/**
 * Loads the first objects that fit into a page, at least one. `taken`: the number of ids that it covers. Invisible
 * objects and those outside the filter are absent.
 */
async function load(pull: Pull, ids: readonly ObjectId[]) {
  const { context, view } = pull;
  let requested = ids;
  let page: readonly StoredObject[];
  try {
    page = await fetchObjects(pull, requested, maxPageBytes);
  } catch (error) {
    if (!(error instanceof AnswerTooLargeError)) throw error;
    const outlines = await context.r.objects.outlines(ids, view.visibility);
    const sizes = new Map(outlines.map(({ id, bytes }) => [id, bytes]));
    requested = within(ids, (id) => sizes.get(id) ?? 0);
    page = await fetchObjects(pull, requested, defaultAnswerBytes);
  }
  const objects = new Map<ObjectId, StoredObject>();
  for (const object of page) objects.set(object.id, object);
  const taken = within(requested, (id) => targetBytes * countOfTargets(objects.get(id), view));
  return { objects, taken: taken.length };
}

async function fetchObjects(
  { context, view }: Pull,
  ids: readonly ObjectId[],
  bytes: number,
): Promise<readonly StoredObject[]> {
  if (ids.length === 0) return [];
  const { objects } = context.r;
  const { classes, filter, visibility } = view;
  if (filter === null) return objects.get(ids, visibility, bytes);
  const byId: Filter = { kind: "oneOf", path: { hops: [], leaf: "~ObjectID", type: "id" }, values: ids };
  const query = { classes, filter: { kind: "all", filters: [byId, filter] } } as const;
  return (await objects.find(query, visibility, { offset: 0, limit: ids.length }, bytes)).objects;
}

function countOfTargets(object: StoredObject | undefined, { fields }: SchemaView): number {
  if (object === undefined) return 0;
  let count = 0;
  for (const { name, type } of fields.get(object.className)?.values() ?? [])
    if (isLink(type)) count += idsOf(object.attributes, name).length;
  return count;
}

/** The first ids with together at most `maxPageBytes`, at least one. */
function within(ids: readonly ObjectId[], bytesOf: (id: ObjectId) => number): readonly ObjectId[] {
  let bytes = 0;
  for (const [index, id] of ids.entries()) {
    bytes += bytesOf(id);
    if (index > 0 && bytes > maxPageBytes) return ids.slice(0, index);
  }
  return ids;
}

function indexOfRoot(rows: readonly Change[], root: ObjectId): number {
  return rows.findIndex(({ id, kind }) => id === root && kind === "stored");
}

function isBehind({ stamp, id }: Change, position: ChangePosition): boolean {
  if (stamp !== position.stamp) return stamp > position.stamp;
  return position.id !== null && objectNumber(id) > objectNumber(position.id);
}
