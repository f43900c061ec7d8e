import {
  addBan,
  type AddBanInput,
  type AppliedRule,
  banKind,
  findDevice,
  forgetDevice,
  type ListedDevice,
  type NamedSubject,
  registerDevice,
  removeBan,
  requireSubject,
  setAppRule,
  type SetAppRuleInput,
  subjectId,
} from "../access/index.ts";
import { type ObjectId, ServiceError } from "@sallyport/storage";
import type { AdministratorContext } from "./administrators.ts";

/** A user, a device, a user on a device, a group, or everyone, by ids. */
export interface SubjectIds {
  readonly userId: ObjectId | null;
  readonly deviceId: string | null;
  readonly groupId?: ObjectId | null;
}

function namedOf({ userId, deviceId, groupId = null }: SubjectIds): NamedSubject {
  return {
    user: userId === null ? undefined : { id: userId },
    device: deviceId ?? undefined,
    group: groupId === null ? undefined : { id: groupId },
  };
}

async function idOf({ r, database }: AdministratorContext, named: NamedSubject): Promise<string> {
  return subjectId(await requireSubject(r, named), database.digests);
}

export interface BanInput extends SubjectIds, Omit<AddBanInput, keyof NamedSubject | "address" | "own"> {
  readonly address: string | null;
}

/** As `addBan`, by ids. 307 for a ban of the administrator of the request, or of its address. */
export function banSubject(
  context: AdministratorContext,
  { userId, deviceId, address, ...input }: BanInput,
): Promise<AppliedRule> {
  const user = userId === null ? undefined : { id: userId };
  const own = { userId: context.principal.userId, network: context.origin.network };
  return addBan(context, { ...input, user, device: deviceId ?? undefined, address: address ?? undefined, own });
}

/** Removes a ban by its id. Unknown: 304. */
export async function liftBan(context: AdministratorContext, id: string): Promise<void> {
  const [found] = await context.r.records.get(banKind, [id]);
  if (found === undefined) throw new ServiceError(304, { detail: "There is no ban with this id." });
  const { subject } = found.value;
  if (subject.kind === "address") return removeBan(context, { address: subject.network });
  await removeBan(
    context,
    namedOf({
      userId: "userId" in subject ? subject.userId : null,
      deviceId: "deviceId" in subject ? subject.deviceId : null,
    }),
  );
}

export interface AppRuleInput extends SubjectIds, Omit<SetAppRuleInput, keyof NamedSubject | "own"> {}

/** As `setAppRule`, by ids. 307 for a rule that would end the session of the request. */
export async function ruleSubject(
  context: AdministratorContext,
  { userId, deviceId, groupId = null, ...input }: AppRuleInput,
): Promise<AppliedRule> {
  const named = namedOf({ userId, deviceId, groupId });
  const ended = await setAppRule(context, { ...input, ...named, own: context.sessionDigest });
  return { ...ended, id: await idOf(context, named) };
}

/** Registers a device for a user, or for all users (`null`). Unknown user: 304. Blank device: 307. */
export async function enrolDevice(
  context: AdministratorContext,
  { userId, deviceId }: SubjectIds & { readonly deviceId: string },
): Promise<ListedDevice> {
  const { user } = namedOf({ userId, deviceId });
  await registerDevice(context, { user, device: deviceId });
  return findDevice(context, await idOf(context, { user, device: deviceId }));
}

/** Removes a device by its id. Returns the number of ended sessions. Unknown: 304. */
export async function removeDevice(context: AdministratorContext, id: string): Promise<number> {
  const { userId, deviceId } = await findDevice(context, id);
  const { user } = namedOf({ userId, deviceId });
  return forgetDevice(context, { user, device: deviceId });
}
