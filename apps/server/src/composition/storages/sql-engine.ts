import type { Storage } from "@sallyport/core";
import type { PoolState } from "../../operations/metrics.ts";

/** Something that serves several storages, one per schema. */
export interface SqlEngine {
  /** Where it is, without secrets. */
  readonly name: string;
  /** `null` when there is nothing worth measuring. */
  readonly pool: (() => PoolState) | null;
  storage(schema: string): Storage;
  close(): Promise<void>;
}
