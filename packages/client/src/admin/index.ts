export type {
  AdministeredAppData,
  AdministeredAppKeyData,
  AdministeredAppRulesData,
  AdministeredBanData,
  AdministeredCustomUserData,
  AdministeredDeviceData,
  AdministeredFactorData,
  AdministeredGroupData,
  AdministeredKeyData,
  AdministeredLinkData,
  AdministeredMacroData,
  AdministeredProviderData,
  AdministeredSessionData,
  AdministeredUserData,
  AppChangeData,
  AppliedRuleData,
  AppRuleData,
  AuditEventData,
  ClassRightsData,
  CreatedAppKeyData,
  CustomUserChangeData,
  GroupChangeData,
  MacroVersionData,
  MaintenanceData,
  MaintenanceRequestData,
  NewAppData,
  NewAppKeyData,
  NewBanData,
  NewCustomUserData,
  NewDeviceData,
  NewGroupData,
  NewUserData,
  ProviderRequestData,
  RotatedKeyData,
  UserChangeData,
  WaitingMailData,
} from "@sallyport/contract";
export type { ChangeOptions, Page, PageOptions } from "./admin-calls.ts";
export type { AppKeys, Apps, OfUserOptions, Sessions } from "./applications.ts";
export type { Audit, AuditOptions, Classes, Keys, Links, Macros, Mail, Maintenance, Providers } from "./operations.ts";
export type { CustomUsers, FactorOptions, Groups, Users } from "./accounts.ts";
export type { AppRules, Bans, Devices } from "./rules.ts";
export { type AdminLogInOptions, type AdminLogInResult, type AdminProof, SallyportAdmin } from "./sallyport-admin.ts";
