import { brand, ServiceError } from "../errors/index.ts";
import type { ClassDefinition } from "../entities/class-definition.ts";

/** The classes of one model generation. */
export interface StoredModel {
  /** 1 in a new database: the migration creates the built-in classes as the first change. */
  readonly generation: number;
  readonly classes: readonly ClassDefinition[];
}

/** A name occurs in at most one of the two lists. */
export interface ModelDelta {
  /** Classes to create or replace completely. */
  readonly put: readonly ClassDefinition[];
  /** Names of classes to remove. Unknown names are ignored. Objects are not changed. */
  readonly removed?: readonly string[];
}

/** Port: the class definitions of one database. */
export interface ModelRepository {
  load(): Promise<StoredModel>;

  /**
   * Locks the model until the calling transaction ends: no other transaction can change the model or write objects.
   * Waits for such transactions; later reads see their result. Has no lasting effect outside a transaction. A no-op in
   * storages with serial transactions.
   */
  lock(): Promise<void>;

  /**
   * Applies the delta and raises the generation by one if `expectedGeneration` is current; else `stale` without any
   * change. Waits for transactions that write objects or lock the model. 307 for a text that is not storable, including
   * the names in `removed`.
   */
  change(delta: ModelDelta, expectedGeneration: number): Promise<"ok" | "stale">;
}

/** A write was prepared under an outdated model and changed nothing. It can be retried. Clients get 706. */
export class OutdatedModelError extends ServiceError {
  constructor(cause?: unknown) {
    super(706, { detail: "The model changed during the request.", retryAfter: 1, cause });
  }
}

brand(OutdatedModelError, "OutdatedModelError");
