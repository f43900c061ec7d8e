import * as z from "zod";
import { operations } from "../operations.ts";
import { pageOf, pageParameters } from "./access.ts";

const keyScope = z.enum(["app", "admin"]).describe("`admin` opens the administration routes and no others.");

const appNames = z.array(z.string()).nullable().describe("App names allowed in a log-in. `null` allows all.");

/** An app key, without the key itself. */
export const administeredAppKey = z
  .object({
    appKeyId: z.string(),
    name: z.string(),
    scope: keyScope,
    enabled: z.boolean(),
    appNames,
    origins: z.array(z.string()).describe("Web origins that may use the key from a browser."),
    returnAddresses: z.array(z.string()).describe("Allowed redirect URLs of provider log-ins."),
  })
  .meta({ id: "AdministeredAppKey" });

export const appKeysResponse = pageOf(administeredAppKey).meta({ id: "AdministeredAppKeys" });

export const newAppKeyRequest = z
  .strictObject({
    name: z.string().max(768).describe("Name of the key, for administrators."),
    scope: keyScope.default("app"),
    appNames: appNames.default(null),
    origins: z.array(z.string().max(2_048)).default([]).describe("Web origins that may use the key from a browser."),
    returnAddresses: z.array(z.string()).default([]).describe("Allowed redirect URLs of provider log-ins."),
  })
  .meta({ id: "NewAppKey" });

/** `data` of a created app key. */
export const createdAppKey = administeredAppKey
  .extend({ key: z.string().describe("The key. It cannot be shown again.") })
  .meta({ id: "CreatedAppKey" });

export const appKeyChangeRequest = z
  .strictObject({
    enabled: z.boolean().describe("`false` refuses the requests of its sessions. They keep their seats."),
  })
  .meta({ id: "AppKeyChange" });

const seats = z.int().min(0).max(1_000_000).nullable().describe("Number of licence seats. `null`: unlimited.");
const seatKind = z.enum(["concurrent", "user", "device"]).describe("The holder of a seat.");
const secondFactor = z
  .enum(["off", "optional", "forced"])
  .describe("Whether log-ins need no token, one if the user has a factor, or always one.");

/** An app name. */
export const administeredApp = z
  .object({ name: z.string(), seats, seatKind, secondFactor, taken: z.int().describe("Number of taken seats.") })
  .meta({ id: "AdministeredApp" });

export const appsResponse = pageOf(administeredApp).meta({ id: "AdministeredApps" });

export const newAppRequest = z
  .strictObject({
    name: z.string().max(512).describe("The name that clients send in `appNames`."),
    seats: seats.default(null),
    seatKind: seatKind.default("concurrent"),
    secondFactor: secondFactor.default("off"),
  })
  .meta({ id: "NewApp" });

export const appChangeRequest = z
  .strictObject({ seats: seats.optional(), seatKind: seatKind.optional(), secondFactor: secondFactor.optional() })
  .meta({ id: "AppChange" });

export type AdministeredAppKeyData = z.infer<typeof administeredAppKey>;
export type NewAppKeyData = z.input<typeof newAppKeyRequest>;
export type CreatedAppKeyData = z.infer<typeof createdAppKey>;
export type AdministeredAppData = z.infer<typeof administeredApp>;
export type NewAppData = z.input<typeof newAppRequest>;
export type AppChangeData = z.input<typeof appChangeRequest>;

/** App keys, and app names with their seats and second-factor rules. */
export const applicationOperations = operations("Applications", {
  listAppKeys: {
    method: "GET",
    path: "/admin/v1/appKeys",
    access: "session",
    summary: "List the app keys",
    query: pageParameters,
    data: appKeysResponse,
  },
  createAppKey: {
    method: "POST",
    path: "/admin/v1/appKeys",
    access: "session",
    proof: true,
    summary: "Create an app key",
    description: "The server generates the key and returns it once.",
    body: { json: newAppKeyRequest },
    data: createdAppKey,
    errors: [208],
  },
  getAppKey: {
    method: "GET",
    path: "/admin/v1/appKeys/{appKeyId}",
    access: "session",
    summary: "Get an app key",
    data: administeredAppKey,
    versioned: true,
  },
  changeAppKey: {
    method: "PATCH",
    path: "/admin/v1/appKeys/{appKeyId}",
    access: "session",
    proof: true,
    summary: "Enable or disable an app key",
    description: "Takes effect with the next request. The key of the request itself cannot be disabled.",
    body: { json: appKeyChangeRequest },
    data: administeredAppKey,
    versioned: true,
    conditional: true,
    errors: [713],
  },
  listApps: {
    method: "GET",
    path: "/admin/v1/apps",
    access: "session",
    summary: "List the app names",
    query: pageParameters,
    data: appsResponse,
  },
  createApp: {
    method: "POST",
    path: "/admin/v1/apps",
    access: "session",
    proof: true,
    summary: "Create an app name",
    body: { json: newAppRequest },
    data: administeredApp,
    versioned: true,
  },
  getApp: {
    method: "GET",
    path: "/admin/v1/apps/{app}",
    access: "session",
    summary: "Get an app name",
    data: administeredApp,
    versioned: true,
  },
  changeApp: {
    method: "PATCH",
    path: "/admin/v1/apps/{app}",
    access: "session",
    proof: true,
    summary: "Change the seats and the second-factor rule of an app name",
    description: "Takes effect with the next log-in.",
    body: { json: appChangeRequest },
    data: administeredApp,
    versioned: true,
    conditional: true,
    errors: [713],
  },
});
