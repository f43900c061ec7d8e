import type { ClassDefinition } from "./class-definition.ts";

/** The classes of a database as of one generation. */
export interface StoredModel {
  readonly generation: number;
  readonly classes: readonly ClassDefinition[];
}

export interface ModelDelta {
  /** Classes to create or to replace whole. */
  readonly put: readonly ClassDefinition[];
}

/** Port: the class definitions of one database. */
export interface ModelRepository {
  load(): Promise<StoredModel>;

  /**
   * Applies the delta and raises the generation if `expectedGeneration` is still current; else `stale` and nothing
   * changes. A text that is not storable: 307.
   */
  change(delta: ModelDelta, expectedGeneration: number): Promise<"ok" | "stale">;
}
