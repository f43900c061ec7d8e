import type { ObjectId } from "./entities/object-id.ts";
import type { ObjectPage, ObjectQuery, Page } from "./entities/object-query.ts";
import type { NewObject, ObjectChange, ObjectOutline, StoredObject, Writing } from "./entities/stored-object.ts";
import type { Visibility } from "./entities/visibility.ts";

/** Objects by their ids, or by their UUIDs in any case. */
export type ObjectKeys = readonly ObjectId[] | { readonly uuids: readonly string[] };

/**
 * Port: the business objects of one database. The attributes of an object take at most `maximumObjectBytes` as JSON text in UTF-8;
 * what storage puts between its parts (spaces, all digits of a number) may count or not. No call stores more: 801.
 *
 * The calls that return any number of objects take the bytes that the attributes of all of them may take together,
 * `defaultAnswerBytes` unless given: beyond it `AnswerTooLargeError`, and storage does not even bring them into memory. What the caller
 * does not see does not count, nor what is not on the page. One object that is asked for alone comes in any case.
 */
export interface ObjectRepository {
  /** The live, visible objects among those that are asked for, in any order, each once. Others are absent. */
  get(which: ObjectKeys, visibility: Visibility, bytes?: number): Promise<StoredObject[]>;

  /**
   * What the live, visible objects among these ids are, in any order, each once. For objects of which nothing else matters: it costs
   * less than to read them.
   */
  outlines(ids: readonly ObjectId[], visibility: Visibility): Promise<ObjectOutline[]>;

  /** A page of the live, visible objects that the query means. Its filter and its order see through references what the caller may see. */
  find(query: ObjectQuery, visibility: Visibility, page: Page, bytes?: number): Promise<ObjectPage>;

  /**
   * What the live, visible objects are that the query means, as `find` understands it: at most `atMost` of them, by ascending
   * number whatever it is sorted by.
   */
  match(query: ObjectQuery, visibility: Visibility, atMost: number): Promise<ObjectOutline[]>;

  /** How many objects `find` would return without a page; counting stops at `atMost`. */
  count(query: ObjectQuery, visibility: Visibility, atMost?: number): Promise<number>;

  /**
   * Holds objects for the transaction that calls it: until that ends, nobody else changes them or takes them away. Waits for
   * those who do; what is read after it is what they have left. Ids of nothing are simply not held. Outside of a
   * transaction it does nothing that lasts. Where transactions take turns it has nothing to do.
   */
  lock(ids: readonly ObjectId[]): Promise<void>;

  /**
   * Creates objects with ascending ids in the order given and returns them in that order. A UUID in use, a link to
   * something that is not live, or a text that is not storable: 307. Under an outdated model: `OutdatedModelError`.
   * One that would be too large: 801. All or nothing.
   */
  insert(objects: readonly NewObject[], by?: Writing): Promise<StoredObject[]>;

  /**
   * Changes objects, each named once, and returns them as they are then, in the order given; each has the next version. Readers that are
   * given replace those of before; an empty list stays one, which nobody is in.
   * An object that never existed, or is not visible: 304; one that is gone, whoever could see it: 610; one that another session
   * has locked, or that has none of the expected versions: 713. A link to something that is not live, or a text that is not storable: 307. Under an
   * outdated model: `OutdatedModelError`. One that would be too large, with the attributes that stay: 801. What is asked of the
   * objects holds at the moment of the change, however many write at once. All or nothing.
   *
   * A collection that holds a list and gets another one keeps its members that the writer cannot mean to take out: live objects
   * that are not visible, and recycled ones. They follow those that he gives, in the order in which they were, each once.
   * References, and collections that become null, keep nothing. The members that are kept are links as before, also those that lead
   * to recycled objects.
   */
  update(changes: readonly ObjectChange[], by: Writing): Promise<StoredObject[]>;
}
