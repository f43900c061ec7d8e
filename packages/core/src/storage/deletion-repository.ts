import type { Digest } from "../digests/index.ts";
import type { ObjectId, SingleReference } from "./entities/object-id.ts";
import type { Attributes, Links, ObjectOutline, StoredObject, Writing } from "./entities/stored-object.ts";
import type { Visibility } from "./entities/visibility.ts";

/** Which links are asked for. */
export interface ReferrerQuery {
  /** By attributes of exactly these classes; `null` for all. */
  readonly attributes: readonly Pick<Referrer, "className" | "attribute">[] | null;
  /** At most so many links. */
  readonly limit: number;
}

/** How objects go. */
export interface DeleteOptions {
  /** Whether they keep their attributes, and can be restored. */
  readonly recycled: boolean;
  /** The one that takes the others along. */
  readonly root: ObjectId;
  /** Who recycles them; kept with recycled objects only. `null` unless given: they count for no user. */
  readonly deletedBy?: ObjectId | null;
  /** How many objects that this user has recycled may be in the recycle bin then; 0, unless given: any number. */
  readonly quota?: number;
}

/** Which objects of the recycle bin are listed. */
export interface TrashQuery {
  /** Those that this user has recycled; `null`: all. */
  readonly deletedBy: ObjectId | null;
  /** Whose objects are listed: those that the caller could read. */
  readonly visibility: Visibility;
  /** Behind this one; `null` from the first. */
  readonly after: Pick<RecycledRoot, "id" | "deletedAt"> | null;
  readonly limit: number;
}

/**
 * Port: how objects go, what is left of them, and how they come back. An object that is gone leaves its id and UUID, which
 * nobody else gets; a recycled one also its attributes, and the references to it stay as they are. Deleting and restoring
 * are several calls in one transaction; what they ask for is held until its end.
 */
export interface DeletionRepository {
  /**
   * Holds the live ones of these objects, and tells what they are, by ascending number: nobody else writes or locks them, deletes
   * them or begins to point to them, before the transaction ends; what is read of them afterwards stays so. Waits for
   * those who do. Under an outdated model: `OutdatedModelError`.
   */
  lock(ids: readonly ObjectId[], by?: Pick<Writing, "modelGeneration">): Promise<LockedRow[]>;

  /** Who points to these objects, each link once, without the objects themselves. */
  referrers(ids: readonly ObjectId[], query: ReferrerQuery): Promise<Referrer[]>;

  /** Takes the targets out of the attributes: a reference becomes null, a collection loses them. A write of each object, whatever it loses. */
  clear(links: readonly Referrer[]): Promise<void>;

  /**
   * Lets live objects go, with their links and locks. They go together with one of them, `root`. Their references are
   * kept for their return if they are recycled; references to those that are not are to be cleared before. `full`, and nothing
   * happens, when the user would have more in the recycle bin than `quota`: exact among all that recycle for the same user, however many
   * at once in however many processes.
   */
  delete(ids: readonly ObjectId[], how: DeleteOptions): Promise<"deleted" | "full">;

  /** What is left of an object that is gone, for those who could read the object; else `null`. */
  find(reference: SingleReference, visibility: Visibility): Promise<Tombstone | null>;

  /**
   * The recycled objects that went together with this one, itself among them, as they were but for the version, which is
   * that of the deletion, by ascending number; none when it is not recycled. They are held like live ones.
   */
  recycledWith(id: ObjectId, by?: Pick<Writing, "modelGeneration">): Promise<StoredObject[]>;

  /** What is known of those among these ids that are or were of objects, each once, in any order. Live ones are held from going. */
  targets(ids: readonly ObjectId[]): Promise<LinkTarget[]>;

  /** Objects in the recycle bin that went alone or took others along, the newest first, then by descending number. */
  listRecycled(page: TrashQuery): Promise<RecycledRoot[]>;

  /**
   * Makes recycled objects deleted ones: only what a deletion for good leaves is left of them, with the next version, as of now. Callers
   * give objects that `recycledWith` has answered in the same transaction, and clear references to them before.
   */
  purge(ids: readonly ObjectId[]): Promise<void>;

  /** How many objects of exactly these classes are in the recycler. */
  countRecycled(classes: readonly string[]): Promise<number>;

  /**
   * Brings recycled objects back and returns them in the order given, each with the next version and the time of its return. Callers
   * give objects that `recycledWith` has answered in the same transaction, and no others.
   */
  restore(objects: readonly Restoration[]): Promise<StoredObject[]>;
}

/** What is left of an object that is gone. */
export interface Tombstone extends Pick<StoredObject, "id" | "uuid" | "className"> {
  /** One more than the object had. */
  readonly version: number;
  /** By the storage's clock, milliseconds since 1970. */
  readonly deletedAt: number;
  /** `recycled`: it can be restored. */
  readonly kind: "recycled" | "deleted";
}

/** An object in the recycle bin that went alone, or took others along. */
export interface RecycledRoot extends Omit<Tombstone, "kind"> {
  /** Who recycled it; `null` if that is unknown. */
  readonly deletedBy: ObjectId | null;
}

/** A live object that nobody else can write for now. */
export interface LockedRow {
  readonly object: ObjectOutline;
  /** Digest of the live session that has locked it. */
  readonly lockedBy: Digest | null;
}

/** A live object one of whose attributes points to another object. */
export interface Referrer {
  readonly id: ObjectId;
  readonly className: string;
  /** Name of a reference or a collection. */
  readonly attribute: string;
  readonly target: ObjectId;
}

/** How a recycled object comes back. */
export interface Restoration {
  readonly id: ObjectId;
  /** The attributes that are no longer what they were; the others come back as they went. */
  readonly attributes: Attributes;
  /** Of all its references and collections, as they are then. */
  readonly links: Links;
}

/** What a link of a recycled object leads to. */
export interface LinkTarget {
  readonly id: ObjectId;
  readonly className: string;
  /** It is live or recycled; otherwise it was deleted for good. */
  readonly exists: boolean;
}
