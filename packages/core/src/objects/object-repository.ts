import type { Visibility } from "../rights/visibility.ts";
import type { ObjectId } from "./object-id.ts";
import type { NewObject, StoredObject } from "./stored-object.ts";

/** A part of a list: `offset` objects are skipped, at most `limit` returned. Both are whole and not negative. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Port: the business objects of one database. */
export interface ObjectRepository {
  /** The live, visible objects among these ids, in any order, each once. Ids of nothing are simply absent. */
  get(ids: readonly ObjectId[], visibility: Visibility): Promise<StoredObject[]>;

  /** The live, visible object with this UUID (any case), or `null`. */
  getByUuid(uuid: string, visibility: Visibility): Promise<StoredObject | null>;

  /** The live, visible objects of exactly these classes (subclasses are listed by the caller), by ascending object number. */
  find(classes: readonly string[], visibility: Visibility, page: Page): Promise<StoredObject[]>;

  /** How many objects `find` would return without a page. */
  count(classes: readonly string[], visibility: Visibility): Promise<number>;

  /** Creates objects with ascending ids in the order given and returns them in that order. A UUID in use, or a text that is not storable: 307. All or nothing. */
  insert(objects: readonly NewObject[]): Promise<StoredObject[]>;
}
