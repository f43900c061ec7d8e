import type { Model } from "../model/index.ts";
import type { ObjectId } from "@sallyport/storage";
import type { ObjectEntry } from "./object-table.ts";
import type { Invariant } from "./violation.ts";

/** An object of a snapshot with the name of its class. */
export interface SnapshotObject extends ObjectEntry {
  /** Empty for a swept object. */
  readonly className: string;
}

/** The objects of a snapshot, which precede its other records. */
export interface SnapshotObjects {
  readonly model: Model;
  find(id: ObjectId): SnapshotObject | undefined;
}

/** Reports a violation, with a finding for the operator. */
export type ReportViolation = (invariant: Invariant, finding: string) => void;
