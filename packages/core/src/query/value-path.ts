import type { AttributeType } from "../model/class-definition.ts";

/** The meta-fields that can be asked for, by name. */
export type MetaType = "id" | "uuid" | "class" | "time";

/** What kind of value stands at a path: that of an attribute, or that of a meta-field. */
export type ValueType = AttributeType | MetaType;

/** A reference that is followed. */
export interface Hop {
  /** Name of an attribute of type `reference`. */
  readonly reference: string;
  /** Classes of the objects that it can lead to, subclasses among them. To others it is not followed. */
  readonly classes: readonly string[];
}

/**
 * The place of a value: references to follow, one after the other, then an attribute or a meta-field of the object that
 * they lead to. All of them are names of the model. Where a reference on the way is missing, null, or leads to nothing
 * that is live and visible, the value is missing.
 */
export interface ValuePath {
  readonly hops: readonly Hop[];
  /** Name of an attribute, or `~ObjectID`, `~UUID`, `~ClassName`, `~StoreTime`. */
  readonly leaf: string;
  readonly type: ValueType;
  /**
   * Whether it is an attribute of the objects themselves that has an index in all classes that are asked for. It changes
   * nothing about the answer, but how it is found soonest.
   */
  readonly indexed?: boolean;
}
