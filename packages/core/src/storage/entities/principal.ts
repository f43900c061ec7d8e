import { ServiceError } from "../../errors/index.ts";
import type { ObjectId } from "./object-id.ts";

/** Who makes a request. */
export interface Principal {
  /** Id of the `User` object. */
  readonly userId: ObjectId;
  /**
   * Ids of the `UserGroup` objects in the user's `Groups`: the texts in the list that the attribute of the live user object holds, in its
   * order. Whether they lead to anything, and of which class, is not looked up. None if there is no list.
   */
  readonly groups: readonly ObjectId[];
  /** Has every right. */
  readonly administrator: boolean;
}

/** Refuses with 404 whoever is no administrator. */
export function requireAdministrator({ administrator }: Principal): void {
  if (!administrator) throw new ServiceError(404);
}

/** As whom the service itself has something done before it is known for whom: there is nobody yet whose rights could be used. */
export const unattendedPrincipal: Principal = Object.freeze({
  userId: "0",
  groups: Object.freeze([]),
  administrator: true,
});
