export {
  type AppRule,
  appRulesKind,
  type Ban,
  banKind,
  type Device,
  type DeviceDescription,
  deviceKind,
} from "./access-rules.ts";
export * from "./app-rules.ts";
export {
  addBan,
  type AddBanInput,
  applyTimedBans,
  banTimerKind,
  listBans,
  type ListedBan,
  removeBan,
} from "./bans.ts";
export { deviceLog, forgetDevice, listDevices, type ListedDevice, registerDevice } from "./devices.ts";
export { type AppliedRule, type EndedSession, type EndedSessions, type OwnAccess } from "./apply-rule-change.ts";
export { administratorGuard, takeAccess } from "./last-administrator.ts";
export { type NamedSubject, type ShownSubject, subjectId, subjectOwner } from "./rule-subjects.ts";
