import * as z from "zod";
import { anyJson } from "../json.ts";
import { operations } from "../operations.ts";
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

export type AuditEventData = z.infer<typeof auditEvent>;
export type AuditedChangeData = z.infer<typeof auditedChange>;

/** The audit, read-only. */
export const auditOperations = operations("Audit", {
  readAudit: {
    method: "GET",
    path: "/admin/v1/audit",
    access: "session",
    summary: "Read the audit",
    description:
      "Returns events in the order of their sequence. With conditions, a page can have fewer events than `limit`, or none, before the end: continue until `next` is `null`.",
    query: auditParameters,
    data: auditResponse,
  },
});
