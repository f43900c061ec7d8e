import * as z from "zod";
import { operations } from "../operations.ts";
import { endedResponse, objectId, pageOf, pageParameters, time } from "./access.ts";

const deviceIdText = "Device id, as the client sends it in a log-in.";
const deviceId = z.string().min(1).max(1_024).describe(deviceIdText);
const subjectDevice = deviceId.nullable().default(null).describe(deviceIdText);
const userId = objectId.nullable().default(null);
const reason = z.string().max(1_024).default("").describe("For administrators. At most 500 characters.");
const rehearse = z.boolean().default(false).describe("Returns the sessions that would end, and changes nothing.");
const shownUser = z.string().nullable().describe("Name of the user. `null` without a user, or if it is deleted.");

/** A known or registered device. */
export const administeredDevice = z
  .object({
    id: z.string(),
    deviceId: z.string(),
    userId: z.string().nullable().describe("`null`: registered for all users."),
    user: shownUser,
    registered: z.boolean(),
    firstSeen: time.nullable(),
    lastSeen: time.nullable().describe("At most a day late."),
    says: z.record(z.string(), z.string()).describe("Description of the device by its client."),
  })
  .meta({ id: "AdministeredDevice" });

export const devicesResponse = pageOf(administeredDevice).meta({ id: "AdministeredDevices" });

export const newDeviceRequest = z
  .strictObject({ deviceId, userId: userId.describe("Id of the user. `null`: all users.") })
  .meta({ id: "NewDevice" });

/** A ban. */
export const administeredBan = z
  .object({
    id: z.string(),
    userId: z.string().nullable(),
    user: shownUser,
    deviceId: z.string().nullable(),
    address: z.string().nullable().describe("An IPv4 address, or the /64 of IPv6 addresses."),
    state: z.enum(["planned", "inForce", "over"]),
    from: time,
    until: time.nullable().describe("`null`: no end."),
    reason: z.string(),
  })
  .meta({ id: "AdministeredBan" });

export const bansResponse = pageOf(administeredBan).meta({ id: "AdministeredBans" });

const banTime = z.iso.datetime({ offset: true }).nullable().default(null);

export const newBanRequest = z
  .strictObject({
    userId: userId.describe("Id of the user. With `deviceId`, only this user on the device."),
    deviceId: subjectDevice,
    address: z
      .string()
      .min(2)
      .max(64)
      .nullable()
      .default(null)
      .describe("An IPv4 address, or an IPv6 address for its /64, without a user or a device."),
    reason,
    from: banTime.describe("ISO 8601. `null`: now."),
    until: banTime.describe("ISO 8601. `null`: no end."),
    rehearse,
  })
  .meta({ id: "NewBan" });

/** `data` of a change of bans or app rules. */
export const appliedRule = z
  .object({
    id: z.string().describe("Id of the ban, or of the rules of the subject."),
    ended: z.int().describe("Number of sessions that ended, or would end."),
    sessions: z
      .array(
        z.object({
          userId: z.string(),
          user: z.string().describe("Name of the user."),
          deviceId: z.string().nullable(),
          appNames: z.array(z.string()),
          since: time,
        }),
      )
      .describe("The first 100 of them."),
  })
  .meta({ id: "AppliedRule" });

/** The app rules of one subject. */
export const administeredAppRules = z
  .object({
    id: z.string(),
    userId: z.string().nullable(),
    user: shownUser,
    deviceId: z.string().nullable(),
    groupId: z.string().nullable(),
    group: z.string().nullable().describe("Name of the group. `null` without a group, or if it is deleted."),
    rules: z.array(z.object({ app: z.string(), access: z.enum(["allow", "forbid"]), reason: z.string() })),
  })
  .meta({ id: "AdministeredAppRules" });

export const appRulesResponse = pageOf(administeredAppRules).meta({ id: "AdministeredAppRulesPage" });

export const appRuleRequest = z
  .strictObject({
    app: z.string().min(1).max(512).describe("An app name of the database."),
    access: z.enum(["allow", "forbid"]).nullable().describe("`null` removes the rule of the subject."),
    userId: userId.describe("Id of the user. With `deviceId`, only this user on the device."),
    deviceId: subjectDevice,
    groupId: objectId.nullable().default(null).describe("Id of a user group, without a user or a device."),
    reason,
    rehearse,
  })
  .meta({ id: "AppRuleChange" });

/** Query parameters of the list of devices. */
export const deviceParameters = pageParameters.extend({
  user: objectId.optional().describe("Id of a user. Excludes devices that are registered for all users."),
});

export type AdministeredDeviceData = z.infer<typeof administeredDevice>;
export type NewDeviceData = z.input<typeof newDeviceRequest>;
export type AdministeredBanData = z.infer<typeof administeredBan>;
export type NewBanData = z.input<typeof newBanRequest>;
export type AppliedRuleData = z.infer<typeof appliedRule>;
export type AdministeredAppRulesData = z.infer<typeof administeredAppRules>;
export type AppRuleData = z.input<typeof appRuleRequest>;

/** Devices, bans and app rules. */
export const ruleOperations = operations("Access rules", {
  listDevices: {
    method: "GET",
    path: "/admin/v1/devices",
    access: "session",
    summary: "List the known and registered devices",
    query: deviceParameters,
    data: devicesResponse,
  },
  registerDevice: {
    method: "POST",
    path: "/admin/v1/devices",
    access: "session",
    proof: true,
    summary: "Register a device",
    description: "For databases that admit registered devices only.",
    body: { json: newDeviceRequest },
    data: administeredDevice,
    errors: [713],
  },
  forgetDevice: {
    method: "DELETE",
    path: "/admin/v1/devices/{id}",
    access: "session",
    proof: true,
    summary: "Remove a device",
    description:
      "Where only registered devices are admitted, ends its sessions. The device becomes known again at its next log-in.",
    data: endedResponse,
  },
  listBans: {
    method: "GET",
    path: "/admin/v1/bans",
    access: "session",
    summary: "List the bans",
    query: pageParameters,
    data: bansResponse,
  },
  addBan: {
    method: "POST",
    path: "/admin/v1/bans",
    access: "session",
    proof: true,
    summary: "Ban a user, a device, a user on a device, or an address",
    description:
      "Ends the sessions concerned, at once or when the ban begins. Replaces an earlier ban of the same subject. Administrators cannot ban themselves or their address.",
    body: { json: newBanRequest },
    data: appliedRule,
  },
  removeBan: {
    method: "DELETE",
    path: "/admin/v1/bans/{id}",
    access: "session",
    proof: true,
    summary: "Remove a ban",
    description: "Takes effect with the next log-in.",
  },
  listAppRules: {
    method: "GET",
    path: "/admin/v1/appRules",
    access: "session",
    summary: "List the app rules",
    description: "An item has all rules of one subject. Without a user, a device and a group, they concern everyone.",
    query: pageParameters,
    data: appRulesResponse,
  },
  setAppRule: {
    method: "POST",
    path: "/admin/v1/appRules",
    access: "session",
    proof: true,
    summary: "Allow or forbid an app name, or remove the rule",
    description:
      "Concerns a user, a device, a user on a device, a group, or everyone. Ends the sessions that have the app name and may no longer have it. Administrators cannot take their own access.",
    body: { json: appRuleRequest },
    data: appliedRule,
    errors: [208],
  },
});
