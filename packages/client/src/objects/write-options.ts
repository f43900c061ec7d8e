import type { CallOptions } from "../requests/call-options.ts";
import type { ObjectOptions } from "./list-options.ts";
import type { ReadBefore } from "./version.ts";

/** What a write may depend on. */
export interface ConditionOptions {
  /**
   * What was read before, as the client gave it, or its version (`versionOf`, `etag`). If it has changed since, the write is refused
   * with 713. Without it, the last write wins.
   */
  readonly ifMatch?: ReadBefore | undefined;
}

export interface UpdateOptions extends ObjectOptions, ConditionOptions {}

export interface ReadersOptions extends CallOptions, ConditionOptions {}

export interface DeleteOptions extends CallOptions, ConditionOptions {
  /** Whether the object goes into the recycler, and can be restored. */
  readonly recycle?: boolean | undefined;
}

export interface PurgeOptions extends CallOptions {
  /** Whether what all users have recycled is purged; for administrators. */
  readonly all?: boolean | undefined;
}
