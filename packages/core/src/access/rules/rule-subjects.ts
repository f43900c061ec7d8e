import {
  type Account,
  accountOwner,
  type Digests,
  isStorableText,
  type ObjectId,
  type Repositories,
  seesAll,
  ServiceError,
  type SessionMatch,
  type StoredObject,
} from "@sallyport/storage";
import { groupsOf } from "../../objects/index.ts";
import { type AccountReference, requireAccount } from "../accounts/account-reference.ts";
import { acceptGroups, findGroups } from "../accounts/create-user.ts";

/** A user, a device, or both. */
export type VisitorSubject =
  | { readonly kind: "user"; readonly userId: ObjectId }
  | { readonly kind: "device"; readonly deviceId: string }
  | { readonly kind: "userOnDevice"; readonly userId: ObjectId; readonly deviceId: string };

/** Whom a ban can exclude. `network`: as in `ClientOrigin`. */
export type BanSubject = VisitorSubject | { readonly kind: "address"; readonly network: string };

/** Whom an app rule can concern. */
export type RuleSubject =
  | VisitorSubject
  | { readonly kind: "group"; readonly groupId: ObjectId }
  | { readonly kind: "everyone" };

/** A subject by names or ids. A user and a device together: the user on this device. None: everyone. */
export interface NamedSubject {
  /** A database user. */
  readonly user?: AccountReference | undefined;
  readonly device?: string | undefined;
  /** Name or id of a user group. */
  readonly group?: string | { readonly id: ObjectId } | undefined;
}

/** The id of the records of a subject. Device ids are digests, as clients choose them freely, and networks, as ids are parts of paths. */
export function subjectId(subject: RuleSubject | BanSubject, digests: Digests): string {
  switch (subject.kind) {
    case "user":
      return `user:${subject.userId}`;
    case "device":
      return `device:${digests.sha256(subject.deviceId)}`;
    case "userOnDevice":
      return `user:${subject.userId} device:${digests.sha256(subject.deviceId)}`;
    case "address":
      return `address:${digests.sha256(subject.network)}`;
    case "group":
      return `group:${subject.groupId}`;
    case "everyone":
      return "everyone";
  }
}

/** The owner of the records of a subject, so that they are removed with the user. */
export function subjectOwner(subject: RuleSubject | BanSubject): string | null {
  return "userId" in subject ? accountOwner(subject.userId) : null;
}

/** Selects the sessions that a rule about the subject can concern. */
export function sessionsOf(subject: RuleSubject | BanSubject): SessionMatch {
  switch (subject.kind) {
    case "user":
      return { userId: subject.userId };
    case "device":
      return { deviceId: subject.deviceId };
    case "userOnDevice":
      return { userId: subject.userId, deviceId: subject.deviceId };
    case "address":
    case "group":
    case "everyone":
      return {};
  }
}

/** Throws 304 for an unknown user or group name, and 307 for an unknown group id, a blank device, or a group with a user or a device. */
export async function requireSubject(
  r: Pick<Repositories, "accounts" | "objects">,
  { user, device, group }: NamedSubject,
): Promise<RuleSubject> {
  if (group === undefined) {
    if (user === undefined && device === undefined) return { kind: "everyone" };
    return (await requireVisitor(r, { user, device })).subject;
  }
  if (user !== undefined || device !== undefined)
    throw new ServiceError(307, { detail: "A rule concerns a group, or a user, a device or both." });
  const [groupId = ""] =
    typeof group === "string" ? await findGroups(r.objects, [group], false) : await acceptGroups(r.objects, [group.id]);
  return { kind: "group", groupId };
}

export interface Visitor {
  readonly subject: VisitorSubject;
  /** The account of the user; `null` for a device alone. */
  readonly account: Account | null;
}

/** Finds a user, a device or both. Throws 304 for an unknown user, and 307 for a blank device, or without any of them. */
export async function requireVisitor(
  r: Pick<Repositories, "accounts">,
  { user, device }: Pick<NamedSubject, "user" | "device">,
): Promise<Visitor> {
  const deviceId = device === undefined ? undefined : acceptDeviceId(device);
  if (user !== undefined) {
    const account = await requireAccount(r, user);
    const { userId } = account;
    const subject: VisitorSubject =
      deviceId === undefined ? { kind: "user", userId } : { kind: "userOnDevice", userId, deviceId };
    return { subject, account };
  }
  if (deviceId === undefined) throw new ServiceError(307, { detail: "A user, a device or both are required." });
  return { subject: { kind: "device", deviceId }, account: null };
}

const maxDeviceId = 512;

/** Log-ins trim the device id, too. */
export function acceptDeviceId(text: string): string {
  const deviceId = text.trim();
  if (deviceId !== "" && deviceId.length <= maxDeviceId && isStorableText(deviceId)) return deviceId;
  throw new ServiceError(307, { detail: `A device id must have 1 to ${maxDeviceId} characters.` });
}

/** A subject for lists. A name is empty if the object no longer exists. */
export interface ShownSubject {
  readonly userId: ObjectId | null;
  readonly userName: string;
  readonly deviceId: string | null;
  readonly groupId: ObjectId | null;
  readonly groupName: string;
}

/** Adds the names of users and groups to subjects, in their order. */
export async function showSubjects(
  { objects }: Pick<Repositories, "objects">,
  subjects: readonly (RuleSubject | BanSubject)[],
): Promise<ShownSubject[]> {
  const ids = subjects.flatMap((subject) => [userOf(subject) ?? [], groupOf(subject) ?? []].flat());
  const byId = await objectsById(objects, ids);
  const nameOf = (id: ObjectId | null) => String(byId.get(id ?? "")?.attributes["Name"] ?? "");
  return subjects.map((subject) => ({
    userId: userOf(subject),
    userName: nameOf(userOf(subject)),
    deviceId: "deviceId" in subject ? subject.deviceId : null,
    groupId: groupOf(subject),
    groupName: nameOf(groupOf(subject)),
  }));
}

/** The user objects of these ids, and their groups. */
export async function usersById(
  { objects }: Pick<Repositories, "objects">,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, { readonly name: string; readonly groups: readonly ObjectId[] }>> {
  const users = await objectsById(objects, ids);
  return new Map(
    [...users].map(([id, user]) => [id, { name: String(user.attributes["Name"] ?? ""), groups: groupsOf(user) }]),
  );
}

async function objectsById(
  objects: Pick<Repositories["objects"], "get">,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, StoredObject>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  return new Map((await objects.get(unique, seesAll)).map((object) => [object.id, object]));
}

function userOf(subject: RuleSubject | BanSubject): ObjectId | null {
  return "userId" in subject ? subject.userId : null;
}

function groupOf(subject: RuleSubject | BanSubject): ObjectId | null {
  return subject.kind === "group" ? subject.groupId : null;
}
