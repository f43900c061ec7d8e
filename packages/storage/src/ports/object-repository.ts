import type { ChangePage, ChangeQuery } from "../entities/change.ts";
import type { ObjectId } from "../entities/object-id.ts";
import type { CountQuery, ObjectPage, ObjectQuery, Page, PageUse } from "../entities/object-query.ts";
import type { NewObject, ObjectChange, ObjectOutline, StoredObject, Writing } from "../entities/stored-object.ts";
import type { CancellableRead, VisibleRead } from "../entities/visibility.ts";

/** Object ids, or UUIDs in any case. */
export type ObjectKeys = readonly ObjectId[] | { readonly uuids: readonly string[] };

/**
 * Port: the business objects of one database. The attributes of an object take at most `maximumObjectBytes` as JSON text in
 * UTF-8. Formatting added by storage (spaces, expanded digits) may count or not. Writes of larger objects fail with 801.
 *
 * `bytes` limits the attributes that one call returns, `defaultAnswerBytes` by default. Beyond it the call throws
 * `AnswerTooLargeError`, and storage does not load the data. Invisible objects and objects outside the page do not count. A
 * request for a single object always succeeds.
 *
 * Writes and deletions form an ordered feed of changes, by class, readable from any position. It contains the latest
 * change of each object, and earlier changes of its readers. Each reader is in the last one that ended its access.
 */
export interface ObjectRepository {
  /** The live, visible objects among the requested ones, each once, in any order. Others are absent. */
  get(which: ObjectKeys, visibility: VisibleRead, bytes?: number): Promise<StoredObject[]>;

  /** Outlines of the live, visible objects among these ids, each once, in any order. Cheaper than `get`. */
  outlines(ids: readonly ObjectId[], visibility: VisibleRead): Promise<ObjectOutline[]>;

  /** A page of the live, visible objects that match the query. Filters and sort keys follow references only to visible objects. */
  find(query: ObjectQuery, visibility: VisibleRead, page: Page, bytes?: number, use?: PageUse): Promise<ObjectPage>;

  /**
   * Outlines of the live, visible objects that match the query, with the semantics of `find`. Returns at most `atMost`,
   * by ascending number; ignores the sort keys.
   */
  match(query: ObjectQuery, visibility: VisibleRead, atMost: number): Promise<ObjectOutline[]>;

  /** Number of live (or recycled), visible objects that match the query. Counting stops at `atMost`. */
  count(query: CountQuery, visibility: VisibleRead, atMost?: number): Promise<number>;

  /**
   * Locks objects until the calling transaction ends: no other transaction can change or delete them. Waits for such
   * transactions; later reads see their result. Ignores unknown ids. Has no lasting effect outside a transaction. A
   * no-op in storages with serial transactions.
   */
  lock(ids: readonly ObjectId[]): Promise<void>;

  /**
   * Creates objects with ascending ids and returns them in the given order. All or nothing. `UuidTakenError` for a UUID
   * in use, also if another call takes it at the same time. 307: a link to an object that is not live, or a text that is
   * not storable. 801 for an object that is too large. `OutdatedModelError` under an outdated model.
   */
  insert(objects: readonly NewObject[], by?: Writing): Promise<StoredObject[]>;

  /**
   * Changes objects and returns them in the given order, each with the next version. Each object occurs once. All or
   * nothing. Given readers replace the old ones; an empty list stays an empty list, which excludes every user.
   *
   * 304: the object never existed or is not visible. 610: it is deleted, visible or not. 713: another session has
   * locked it, or its version is not an expected one. 307: a link to an object that is not live, or a text that is not
   * storable. 801: the result is too large, including unchanged attributes. `OutdatedModelError`: the model is
   * outdated. Conditions are checked at the moment of the change, also under concurrency.
   *
   * If a list replaces the list of a collection, members that the writer cannot see stay: live invisible objects and
   * recycled objects. They follow the given members in their old order, each once. References, and collections set to
   * null, keep nothing. Kept members remain links, including links to recycled objects.
   */
  update(changes: readonly ObjectChange[], by: Writing): Promise<StoredObject[]>;

  /**
   * Returns the highest stamp at or below which no new change can appear, even if transactions are still open. The
   * watermark reaches a stamp once the transactions that began writing before it have ended. It never decreases. Inside
   * a transaction that has written, it is below the stamp of that transaction.
   */
  watermark(options?: CancellableRead): Promise<number>;

  /**
   * Returns a page of the changes of some classes, in order. Applies no visibility: it returns the changes of all
   * objects, with current and former readers. The result is complete up to a watermark read before, so a reader fixes
   * `upTo` with the first page and keeps it for the later ones. An object that is written again moves to a higher
   * stamp. Changes of rolled-back transactions never appear. The cost depends on the number of classes and the size of
   * the page, not on the number of objects or on the changes of other classes.
   */
  changes(query: ChangeQuery, options?: CancellableRead): Promise<ChangePage>;
}
