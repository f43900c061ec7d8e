import { targetSubtree } from "../model/index.ts";
import type { SessionContext } from "../request/index.ts";
import {
  AnswerTooLargeError,
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
  const reader = new PageReader(context, view, window, place.upTo);
  if (place.referrers !== null) return reader.referrers(place, place.referrers);
  let page = await reader.changes(place.after);
  for (let reads = 1; reads < maxReads && isEmpty(page) && page.next?.referrers === null; reads += 1)
    page = await reader.changes(page.next.after);
  return page;
}

/** Whether a page has nothing for the client. */
export function isEmpty({ changed, deleted, excluded }: Pick<PulledChanges, "changed" | "deleted" | "excluded">) {
  return changed.length === 0 && deleted.length === 0 && excluded.length === 0;
}

class PageReader {
  constructor(
    private readonly context: SessionContext,
    private readonly view: SchemaView,
    private readonly window: PullWindow,
    private readonly upTo: number,
  ) {}

  /** The changes after a position, and the referrers of objects that appeared or vanished. */
  async changes(after: ChangePosition): Promise<PulledChanges> {
    const { limit } = this.window;
    const found = await this.read(after, limit + 1);
    const rows = found.slice(0, limit);
    const roots = this.rootsOf(rows);
    const referrers = await this.referrersOf(rows);
    const { objects, taken } = await this.load([...roots, ...referrers.slice(0, limit - rows.length)]);
    const firstLeft = roots[taken];
    const done = firstLeft === undefined ? rows : rows.slice(0, indexOfRoot(rows, firstLeft));
    const sent = referrers.slice(0, Math.max(0, taken - roots.length));
    const last = done.at(-1);
    const { changed, ...others } = this.listsOf(done, objects);
    return {
      ...others,
      changed: [...changed, ...sent.flatMap((id) => objects.get(id) ?? [])],
      next:
        last === undefined || (done.length === found.length && sent.length === referrers.length)
          ? null
          : {
              upTo: this.upTo,
              after: { stamp: last.stamp, id: last.id },
              referrers: sent.length === referrers.length ? null : { from: after, after: sent.at(-1) ?? null },
            },
    };
  }

  /** More referrers of the objects of an earlier page. */
  async referrers(place: PullPlace, { from, after }: ReferrerPlace): Promise<PulledChanges> {
    const found = await this.read(from, maxPageSize);
    const rows = found.filter((row) => !isBehind(row, place.after));
    const all = await this.referrersOf(rows);
    const left = after === null ? all : all.filter((id) => objectNumber(id) > objectNumber(after));
    const { objects, taken } = await this.load(left.slice(0, this.window.limit));
    const sent = left.slice(0, taken);
    return {
      changed: sent.flatMap((id) => objects.get(id) ?? []),
      deleted: [],
      excluded: [],
      next: { ...place, referrers: taken === left.length ? null : { from, after: sent.at(-1) ?? after } },
    };
  }

  private async read(after: ChangePosition, limit: number): Promise<readonly Change[]> {
    const { r, unit } = this.context;
    const query = { classes: this.view.classes, after, upTo: this.upTo, limit };
    const { changes, swept } = await r.changes.read(query).catch((error: unknown) => {
      throw unit.joined ? error : syncFailure(716, error);
    });
    if (this.window.since !== null && swept > this.window.since)
      throw restart("Deletions after this version are forgotten.");
    return changes;
  }

  /** The objects to send, in the order of the rows. */
  private rootsOf(rows: readonly Change[]): ObjectId[] {
    const { omit } = this.window;
    const roots: ObjectId[] = [];
    for (const row of rows)
      if (row.kind === "stored" && this.sees(row) && omit.get(row.uuid) !== row.version) roots.push(row.id);
    return roots;
  }

  private sees(row: Change): boolean {
    return isVisible(row, this.view.visibility);
  }

  private saw({ className, readersBefore: readers }: Change): boolean {
    return isVisible({ className, readers }, this.view.visibility);
  }

  /** Sorts the rows into lists by the final state of their objects. */
  private listsOf(rows: readonly Change[], objects: ReadonlyMap<ObjectId, StoredObject>) {
    const changed: StoredObject[] = [];
    const deleted = new Map<string, number>();
    const left = new Set<string>();
    const kept = new Set<string>();
    for (const row of rows) {
      const object = row.kind === "stored" ? objects.get(row.id) : undefined;
      if (object !== undefined) changed.push(object);
      if (object !== undefined || this.window.omit.get(row.uuid) === row.version) kept.add(row.uuid);
      else if (row.kind === "stored") {
        if (this.sees(row) || this.saw(row)) left.add(row.uuid);
      } else if (row.kind === "superseded") {
        // The change that superseded it tells what an object is that the caller sees.
        if (!this.sees(row) && this.saw(row)) left.add(row.uuid);
      } else if (this.sees(row) || this.saw(row)) deleted.set(row.uuid, row.version);
    }
    if (this.window.since === null) return { changed, deleted: [], excluded: [] };
    return {
      changed,
      deleted: Array.from(deleted, ([uuid, version]) => ({ uuid, version })),
      excluded: [...left].filter((uuid) => !kept.has(uuid) && !deleted.has(uuid)),
    };
  }

  /**
   * Objects of the schema that refer to those that appeared or vanished, by number, without those of the rows. Their
   * references change with the visibility of the targets.
   */
  private async referrersOf(rows: readonly Change[]): Promise<ObjectId[]> {
    if (this.window.since === null) return [];
    const moved = rows.filter((row) => this.mayHaveAppeared(row) || this.hasVanished(row));
    const attributes = this.linksTo(new Set(moved.map(({ className }) => className)));
    if (attributes.length === 0) return [];
    const ids = [...new Set(moved.map(({ id }) => id))];
    const links = await this.context.r.deletion.referrers(ids, { attributes, limit: maxReferrers + 1 });
    if (links.length > maxReferrers) throw restart("Too many objects refer to objects that appeared or vanished.");
    const roots = new Set(this.rootsOf(rows));
    const referrers = new Set(links.map(({ id }) => id).filter((id) => !roots.has(id)));
    return [...referrers].toSorted((one, other) => objectNumber(one) - objectNumber(other));
  }

  /**
   * Whether the caller sees the object now, and possibly did not before. After several changes of the readers, the last
   * one does not tell whether all earlier readers could read the object before the first one.
   */
  private mayHaveAppeared(row: Change): boolean {
    return row.reveals && (row.kind === "stored" || row.kind === "superseded") && this.sees(row);
  }

  /** Whether the caller saw the object before, and does not now. A permanent deletion is a write of the referrers. */
  private hasVanished(row: Change): boolean {
    if (row.kind === "recycled") return this.sees(row) || this.saw(row);
    return row.kind !== "deleted" && this.saw(row) && !this.sees(row);
  }

  /** The links of the schema that can refer to objects of these classes. */
  private linksTo(targets: ReadonlySet<string>) {
    const { classes, fieldsOf, model } = this.view;
    if (targets.size === 0) return [];
    return classes.flatMap((className) =>
      fieldsOf(className)
        .filter(
          (field) => isLink(field.type) && (targetSubtree(field, model)?.some((each) => targets.has(each)) ?? true),
        )
        .map(({ name: attribute }) => ({ className, attribute })),
    );
  }

  /**
   * Loads the first objects that fit into a page, at least one. `taken`: the number of ids that it covers. Invisible
   * objects and those outside the filter are absent.
   */
  private async load(ids: readonly ObjectId[]) {
    let wanted = ids;
    let found: readonly StoredObject[];
    try {
      found = await this.fetch(wanted, maxPageBytes);
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError)) throw error;
      const outlines = await this.context.r.objects.outlines(ids, this.view.visibility);
      const sizes = new Map(outlines.map(({ id, bytes }) => [id, bytes]));
      wanted = within(ids, (id) => sizes.get(id) ?? 0);
      found = await this.fetch(wanted, defaultAnswerBytes);
    }
    const objects = new Map(found.map((object) => [object.id, object]));
    const taken = within(wanted, (id) => targetBytes * this.countOfTargets(objects.get(id)));
    return { objects, taken: taken.length };
  }

  private async fetch(ids: readonly ObjectId[], bytes: number): Promise<readonly StoredObject[]> {
    if (ids.length === 0) return [];
    const { objects } = this.context.r;
    const { classes, filter, visibility } = this.view;
    if (filter === null) return objects.get(ids, visibility, bytes);
    const byId: Filter = { kind: "oneOf", path: { hops: [], leaf: "~ObjectID", type: "id" }, values: ids };
    const query = { classes, filter: { kind: "all", filters: [byId, filter] } } as const;
    return (await objects.find(query, visibility, { offset: 0, limit: ids.length }, bytes)).objects;
  }

  private countOfTargets(object: StoredObject | undefined): number {
    if (object === undefined) return 0;
    let count = 0;
    for (const { name, type } of this.view.fieldsOf(object.className))
      if (isLink(type)) count += idsOf(object.attributes, name).length;
    return count;
  }
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
