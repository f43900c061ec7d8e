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
  type AppliedRule,
  applyTimedBans,
  banTimers,
  listBans,
  type ListedBan,
  removeBan,
} from "./bans.ts";
export { deviceLog, findDevice, forgetDevice, listDevices, type ListedDevice, registerDevice } from "./devices.ts";
export { type EndedSession, type EndedSessions, takesOwnAccess } from "./end-refused.ts";
export { administratorGuard, takeAccess } from "./last-administrator.ts";
export { type NamedSubject, requireSubject, type ShownSubject, subjectId, subjectOwner } from "./rule-subjects.ts";
