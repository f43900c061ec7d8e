import type { Digests, ObjectId, RecordKind } from "@sallyport/storage";
import { type BanSubject, type RuleSubject, subjectId } from "./rule-subjects.ts";

/** A ban. At most one per subject. Times are milliseconds since 1970 by the storage's clock. */
export interface Ban {
  readonly subject: BanSubject;
  readonly reason: string;
  readonly from: number;
  /** `null`: no end. */
  readonly until: number | null;
  /** Whether the sessions were ended at `from`. */
  readonly begun: boolean;
}

/**
 * Without a lifetime, so that archives contain bans. Each change of a ban that can refuse a log-in changes the version of
 * its record: log-ins depend on it.
 */
export const banKind: RecordKind<Ban> = "ban";

/** A rule about one app name. */
export interface AppRule {
  readonly app: string;
  readonly access: "allow" | "forbid";
  readonly reason: string;
}

/** All app rules of one subject. */
export interface AppRules {
  readonly subject: RuleSubject;
  /** By app name. */
  readonly rules: readonly AppRule[];
}

export const appRulesKind: RecordKind<AppRules> = "appRules";

/** Description of a device by the client of a log-in: texts by name. */
export type DeviceDescription = Readonly<Record<string, string>>;

/** A device of one user, or a device that is registered for all users. Times are milliseconds since 1970. */
export interface Device {
  /** `null`: registered for all users. */
  readonly userId: ObjectId | null;
  readonly deviceId: string;
  readonly says: DeviceDescription;
  /** `null`: registered, and not seen yet. */
  readonly firstSeen: number | null;
  /** At most a day late. */
  readonly lastSeen: number | null;
  /** Whether an administrator has registered it. */
  readonly registered: boolean;
}

export const deviceKind: RecordKind<Device> = "device";

/** The user, device, network and app names of a log-in or a session. */
export interface Visit {
  readonly userId: ObjectId;
  readonly groups: readonly ObjectId[];
  readonly deviceId: string | null;
  /** As in `ClientOrigin`; `null` if unknown. */
  readonly network: string | null;
  readonly appNames: readonly string[];
}

/** Bans and rules by the id of their subject. */
export interface FoundRules {
  readonly bans: ReadonlyMap<string, Ban>;
  readonly rules: ReadonlyMap<string, AppRules>;
}

/** Ids of the records that decide about a visit. */
export interface RuleIds {
  readonly bans: readonly string[];
  /** The most specific first. Subjects of the same rank stand together. */
  readonly rules: readonly (readonly string[])[];
}

export function ruleIdsOf(visit: Omit<Visit, "appNames">, digests: Digests): RuleIds {
  const { userId, groups, network } = visit;
  const ofUser = subjectId({ kind: "user", userId }, digests);
  const ofDevice = registrationIds(visit, digests);
  const ofNetwork = network === null ? [] : [subjectId({ kind: "address", network }, digests)];
  const ofGroups = groups.map((groupId) => subjectId({ kind: "group", groupId }, digests));
  return {
    bans: [ofUser, ...ofDevice, ...ofNetwork],
    rules: [ofDevice.slice(0, 1), [ofUser], ofDevice.slice(1), ofGroups, [subjectId({ kind: "everyone" }, digests)]],
  };
}

/** Ids of the user on the device and of the device; where only registered devices are admitted, one of them must be registered. */
export function registrationIds({ userId, deviceId }: Pick<Visit, "userId" | "deviceId">, digests: Digests): string[] {
  if (deviceId === null) return [];
  return [
    subjectId({ kind: "userOnDevice", userId, deviceId }, digests),
    subjectId({ kind: "device", deviceId }, digests),
  ];
}

/** A ban that has begun stays in force on a server whose clock is behind. */
export function isInForce({ from, until, begun }: Pick<Ban, "from" | "until" | "begun">, now: number): boolean {
  return (begun || from <= now) && (until === null || now < until);
}

/**
 * The refusal of a visit: 318 for a ban, 403 for an app name that the rules forbid. The most specific rule decides: of
 * the user on the device, the user, the device, a group, everyone. Of the rules of several groups, one that forbids
 * decides. Without any rule, an app name is allowed.
 */
export function refusalOf(
  { appNames }: Pick<Visit, "appNames">,
  ids: RuleIds,
  { bans, rules }: FoundRules,
  applies: (ban: Ban) => boolean,
): 318 | 403 | null {
  const storedBans = ids.bans.map((id) => bans.get(id)).filter((ban) => ban !== undefined);
  if (storedBans.some(applies)) return 318;
  return appNames.every((app) => isAllowed(app, ids, rules)) ? null : 403;
}

/** Whether the rules allow an app name. */
export function isAllowed(app: string, ids: RuleIds, rules: FoundRules["rules"]): boolean {
  for (const rank of ids.rules) {
    const decisions = rank.flatMap((id) => rules.get(id)?.rules ?? []).filter((rule) => rule.app === app);
    if (decisions.length > 0) return decisions.every(({ access }) => access === "allow");
  }
  return true;
}
