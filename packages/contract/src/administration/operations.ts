import * as z from "zod";
import { anyJson } from "../json.ts";
import { permission } from "../model.ts";
import { pageOf, pageParameters, time } from "./access.ts";
import { auditEventTypes } from "./audit-types.ts";

const id = z.string().min(1).max(64);
const eventTime = z.iso.datetime({ offset: true }).optional();

/** Query parameters of the audit. */
export const auditParameters = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .describe("`next` of the previous page."),
  limit: pageParameters.shape.limit,
  type: z.enum(auditEventTypes).optional().describe("Type of the events, such as `login.refused`."),
  actor: id.optional().describe("Id of the acting user."),
  subject: id.optional().describe("Id of the affected user."),
  since: eventTime.describe("ISO 8601. Includes events at this time."),
  until: eventTime.describe("ISO 8601. Excludes events at this time."),
});

const auditedChange = z
  .object({
    name: z.string().describe("A property of the changed thing, such as `seats` or `rights.read`."),
    before: anyJson.describe("`null` without a value. Ids stand for users and groups."),
    after: anyJson.describe("`null` without a value."),
  })
  .meta({ id: "AuditedChange" });

/** An event of the audit. */
export const auditEvent = z
  .object({
    sequence: z.int(),
    at: time,
    type: z.enum(auditEventTypes),
    outcome: z.int().describe("Error code of the answer; 0 for a success."),
    attempts: z.int().describe("Number of attempts that the event stands for."),
    since: time.describe("Time of the first attempt."),
    requestId: z.string(),
    appKeyId: z.string(),
    actorId: z.string().nullable().describe("The acting user. `null` for a command."),
    subjectId: z.string().nullable().describe("The affected user."),
    address: z.string(),
    appNames: z.array(z.string()),
    className: z.string().nullable(),
    macroName: z.string().nullable(),
    providerName: z.string().nullable(),
    changes: z
      .array(auditedChange)
      .describe(
        "The replaced values, without secrets. A value of more than 300 characters ends with `…`. Beyond 2,048 characters, a last change named `…` stands for the others.",
      ),
  })
  .meta({ id: "AuditEvent" });

export const auditResponse = pageOf(auditEvent).meta({ id: "AuditEvents" });

const providerData = z.record(z.string(), z.string());

/** A registered identity provider. */
export const administeredProvider = z
  .object({
    type: z.string(),
    name: z.string(),
    enabled: z.boolean().describe("Whether the configuration of the server enables the type."),
    appNames: z.array(z.string()),
    defaultUser: z.string().nullable().describe("Log-in name of the user for new external users."),
    data: providerData.describe("Additional data. Secrets are replaced by `***`."),
    fault: z.string().nullable().describe("Why the additional data cannot be used."),
    callback: z.string().nullable(),
  })
  .meta({ id: "AdministeredProvider" });

export const providersResponse = z
  .object({ items: z.array(administeredProvider) })
  .meta({ id: "AdministeredProviders" });

export const providerRequest = z
  .strictObject({
    name: z.string(),
    data: providerData.describe("Additional data, with all members and secrets."),
    appNames: z.array(z.string()).default([]),
    defaultUserId: z.string().nullable().default(null).describe("Id of the user for new external users."),
  })
  .meta({ id: "PutProvider" });

/** A provider account that is linked to a user. */
export const administeredLink = z
  .object({
    linkId: z.string(),
    provider: z.string(),
    userId: z.string(),
    user: z.string().describe("Log-in name of the user. Empty without an account."),
    displayName: z.string().nullable(),
    email: z.string().nullable(),
    shared: z.boolean().describe("Whether several links share the user."),
    linkedAt: time,
  })
  .meta({ id: "AdministeredLink" });

export const administeredLinksResponse = pageOf(administeredLink).meta({ id: "AdministeredLinks" });

const classRights = z.array(z.object({ group: z.string(), permissions: z.array(permission) }));

/** The rights of a class. */
export const classRightsResponse = z
  .object({ name: z.string(), base: z.string().nullable(), rights: classRights })
  .meta({ id: "ClassRights" });

export const classesRightsResponse = z.object({ items: z.array(classRightsResponse) }).meta({ id: "RightsOfClasses" });

export const classRightsRequest = z
  .strictObject({
    rights: classRights.describe("Rights by id or UUID of a user group; `*` stands for all users. Replaces all."),
  })
  .meta({ id: "PutClassRights" });

/** A key of the database. */
export const administeredKey = z
  .object({
    kind: z.enum(["rsa", "jwt"]),
    keyId: z.string(),
    createdAt: time,
    acceptedUntil: time.nullable().describe("`null` for the current key."),
    sessions: z
      .int()
      .nullable()
      .describe("Number of token sessions that a former key of tokens signed, at most 10,000. Else `null`."),
  })
  .meta({ id: "AdministeredKey" });

export const keysResponse = z.object({ items: z.array(administeredKey) }).meta({ id: "AdministeredKeys" });

export const rotatedKey = z
  .object({ keyId: z.string(), before: z.string().nullable().describe("The former key. `null` if there was none.") })
  .meta({ id: "RotatedKey" });

/** The outbox of mail. */
export const waitingMailResponse = z
  .object({
    count: z.int(),
    oldestSeconds: z.int().describe("Age of the oldest message; 0 without one."),
    stuckSeconds: z.int().describe("Duration of an outage of the mail transport; 0 without one."),
  })
  .meta({ id: "WaitingMail" });

/** A macro or hook. */
export const administeredMacro = z
  .object({
    name: z.string(),
    state: z.enum(["macro", "hook", "broken"]),
    fault: z.string().nullable().describe("Why a broken one cannot run."),
    stored: z.boolean().describe("Whether the database has it. Others are of the server's folder."),
    version: z.int().nullable().describe("Version in the database."),
    changedAt: time.nullable(),
    changedBy: z.string().nullable(),
  })
  .meta({ id: "AdministeredMacro" });

export const macrosResponse = z.object({ items: z.array(administeredMacro) }).meta({ id: "AdministeredMacros" });

/** A version of a macro, without its text. */
export const macroVersion = z
  .object({
    version: z.int(),
    language: z.enum(["js", "ts"]).nullable().describe("`null` for a removal."),
    bytes: z.int().nullable(),
    changedAt: time,
    changedBy: z.string(),
  })
  .meta({ id: "MacroVersion" });

export const macroVersionsResponse = pageOf(macroVersion).meta({ id: "MacroVersions" });

/** Query parameters of the history of a macro. */
export const macroVersionParameters = z.object({
  after: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .optional()
    .describe("`next` of the previous page."),
  limit: pageParameters.shape.limit,
});

export type AuditEventData = z.infer<typeof auditEvent>;
export type AuditedChangeData = z.infer<typeof auditedChange>;
export type AdministeredProviderData = z.infer<typeof administeredProvider>;
export type ProviderRequestData = z.input<typeof providerRequest>;
export type AdministeredLinkData = z.infer<typeof administeredLink>;
export type ClassRightsData = z.infer<typeof classRightsResponse>;
export type AdministeredKeyData = z.infer<typeof administeredKey>;
export type RotatedKeyData = z.infer<typeof rotatedKey>;
export type WaitingMailData = z.infer<typeof waitingMailResponse>;
export type AdministeredMacroData = z.infer<typeof administeredMacro>;
export type MacroVersionData = z.infer<typeof macroVersion>;
