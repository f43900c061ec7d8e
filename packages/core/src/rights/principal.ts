import type { ObjectId } from "../objects/object-id.ts";

/** Who makes a request. */
export interface Principal {
  /** Id of the `User` object. */
  readonly userId: ObjectId;
  /** Ids of the `UserGroup` objects in the user's `Groups`. */
  readonly groups: readonly ObjectId[];
  /** Has every right. */
  readonly administrator: boolean;
}
