import type { ClassDefinition } from "./entities/class-definition.ts";

/** The classes of a database as of one generation. */
export interface StoredModel {
  /** 1 in a new database: the migration that creates the built-in classes is the first change. */
  readonly generation: number;
  readonly classes: readonly ClassDefinition[];
}

/** No name is in both lists. */
export interface ModelDelta {
  /** Classes to create or to replace whole. */
  readonly put: readonly ClassDefinition[];
  /** Names of classes to take away; one that is not there is none. Objects are not touched. */
  readonly removed?: readonly string[];
}

/** Port: the class definitions of one database. */
export interface ModelRepository {
  load(): Promise<StoredModel>;

  /**
   * Holds the model for the transaction that calls it: until that ends, nobody else changes the model or writes objects.
   * Waits for those who do. What is read after it is what they have left. Outside of a transaction it does nothing that
   * lasts. Where transactions take turns it has nothing to do.
   */
  lock(): Promise<void>;

  /**
   * Applies the delta and raises the generation by one if `expectedGeneration` is still current; else `stale` and
   * nothing changes. Waits for those who write objects and for those who hold the model. A text that is not storable, also a name in
   * `removed`: 307.
   */
  change(delta: ModelDelta, expectedGeneration: number): Promise<"ok" | "stale">;
}
