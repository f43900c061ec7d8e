import type { ObjectId } from "../objects/object-id.ts";
import type { Entrance } from "../sessions/entrance.ts";
import type { FactorSubject } from "./second-factor.ts";

/**
 * Whose second factor somebody has who came in this way. A link of his own leads to the factor that he has with his password, too;
 * those who share a user have one each.
 */
export function factorSubjectOf(userId: ObjectId, entrance: Entrance): FactorSubject {
  if (entrance.kind === "custom") return `custom:${entrance.accountId}`;
  if (entrance.kind === "provider" && entrance.shared) return `link:${entrance.linkId}`;
  return `user:${userId}`;
}
