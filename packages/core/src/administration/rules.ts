import type { NamedSubject, OwnAccess } from "../access/index.ts";
import type { ObjectId } from "@sallyport/storage";
import type { AdministratorContext } from "./administrators.ts";

/** A user, a device, a user on a device, a group, or everyone, by ids. */
export interface SubjectIds {
  readonly userId: ObjectId | null;
  readonly deviceId: string | null;
  readonly groupId?: ObjectId | null;
}

/** The subject of a ban, a rule or a device that a request names by ids. */
export function subjectOf({ userId, deviceId, groupId = null }: SubjectIds): NamedSubject {
  return {
    user: userId === null ? undefined : { id: userId },
    device: deviceId ?? undefined,
    group: groupId === null ? undefined : { id: groupId },
  };
}

/** The access of the caller. A change of bans and rules must not take it away. The operator has none to lose. */
export function ownAccess({ principal, origin, sessionDigest }: AdministratorContext): OwnAccess {
  return { userId: principal.userId, network: origin.network, session: sessionDigest };
}
