import type { ObjectId } from "../objects/object-id.ts";

/** Whose history and resets those of a database user are. */
export function passwordSubject(userId: ObjectId): string {
  return `user:${userId}`;
}
