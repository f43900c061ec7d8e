import type { Model } from "../model/index.ts";
import type { ObjectId } from "@sallyport/storage";
import type { ObjectEntry } from "./object-table.ts";
import type { Invariant } from "./violation.ts";

export interface SnapshotObject extends ObjectEntry {
  /** Empty if it is swept. */
  readonly className: string;
}

/** The objects of a snapshot, which precede its other records. */
export interface SnapshotObjects {
  readonly model: Model;
  find(id: ObjectId): SnapshotObject | undefined;
}

export type Violated = (invariant: Invariant, finding: string) => void;
