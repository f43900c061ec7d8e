import * as z from "zod";
import { objectId, pageOf, time } from "./access.ts";

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
    name: z.string().max(768),
    scope: keyScope.default("app"),
    appNames: appNames.default(null),
    origins: z.array(z.string().max(2_048)).default([]),
    returnAddresses: z.array(z.string()).default([]),
  })
  .meta({ id: "NewAppKey" });

/** `data` of a created app key. */
export const createdAppKey = administeredAppKey
  .extend({ key: z.string().describe("The key. It cannot be shown again.") })
  .meta({ id: "CreatedAppKey" });

export const appKeyChangeRequest = z.strictObject({ enabled: z.boolean() }).meta({ id: "AppKeyChange" });

const seats = z.int().min(0).max(1_000_000).nullable().describe("Number of licence seats. `null`: unlimited.");
const seatKind = z.enum(["concurrent", "user", "device"]).describe("The holder of a seat.");
const secondFactor = z.enum(["off", "optional", "forced"]);

/** An app name. */
export const administeredApp = z
  .object({ name: z.string(), seats, seatKind, secondFactor, taken: z.int().describe("Number of taken seats.") })
  .meta({ id: "AdministeredApp" });

export const appsResponse = pageOf(administeredApp).meta({ id: "AdministeredApps" });

export const newAppRequest = z
  .strictObject({
    name: z.string().max(512),
    seats: seats.default(null),
    seatKind: seatKind.default("concurrent"),
    secondFactor: secondFactor.default("off"),
  })
  .meta({ id: "NewApp" });

export const appChangeRequest = z
  .strictObject({ seats: seats.optional(), seatKind: seatKind.optional(), secondFactor: secondFactor.optional() })
  .meta({ id: "AppChange" });

/** A live session. */
export const administeredSession = z
  .object({
    id: z.string().describe("Public id. Opens nothing."),
    userId: z.string(),
    user: z.string().describe("Log-in name of the user or custom user."),
    method: z.enum(["password", "custom", "provider"]),
    mode: z.enum(["session", "token", "secure"]),
    appKey: z.string().describe("Name of the app key."),
    appNames: z.array(z.string()),
    reservedNames: z.array(z.string()).describe("App names whose seats the session has reserved."),
    deviceId: z.string().nullable(),
    address: z
      .string()
      .nullable()
      .describe("Address of the client at the log-in. `null` if the log-in was on a server of an earlier version."),
    enrolling: z.boolean().describe("Whether the session can only set up second factors."),
    since: time,
    expiresAt: time.describe("The session ends then, unless it is used."),
    endsAt: time.describe("The session ends then in any case."),
    bytes: z
      .object({ received: z.int().describe("By the server."), sent: z.int() })
      .describe(
        "Bytes of all requests and responses after the log-in, including their headers, as of the last minute.",
      ),
  })
  .meta({ id: "AdministeredSession" });

export const sessionsResponse = pageOf(administeredSession).meta({ id: "AdministeredSessions" });

export const endSessionsParameters = z.object({ user: objectId.describe("Id of the user.") });

export const endedResponse = z.object({ ended: z.int().describe("Number of ended sessions.") }).meta({ id: "Ended" });

export type AdministeredAppKeyData = z.infer<typeof administeredAppKey>;
export type NewAppKeyData = z.input<typeof newAppKeyRequest>;
export type CreatedAppKeyData = z.infer<typeof createdAppKey>;
export type AdministeredAppData = z.infer<typeof administeredApp>;
export type NewAppData = z.input<typeof newAppRequest>;
export type AppChangeData = z.input<typeof appChangeRequest>;
export type AdministeredSessionData = z.infer<typeof administeredSession>;
