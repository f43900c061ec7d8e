import { explained, ServiceError } from "../errors/index.ts";
import type { ObjectId } from "./object-id.ts";

/** The authenticated user of a request. */
export interface Principal {
  /** Id of the `User` object. */
  readonly userId: ObjectId;
  /**
   * Ids of the user's groups: the texts in the list of the attribute `Groups` of the live user object, in order.
   * Neither existence nor class of the targets is checked. Empty if there is no list.
   */
  readonly groups: readonly ObjectId[];
  /** Has all rights. */
  readonly administrator: boolean;
}

/** Throws 404 unless the user is an administrator. */
export function requireAdministrator({ administrator }: Principal): void {
  if (!administrator) throw explained(new ServiceError(404), { asked: "Is the user an administrator?", found: "No." });
}

/** Principal of internal work without a user, such as work before the authentication. */
export const systemPrincipal: Principal = Object.freeze({
  userId: "0",
  groups: Object.freeze([]),
  administrator: true,
});
