import * as z from "zod";
import { permission } from "../model.ts";
import { operations } from "../operations.ts";
import { pageOf, pageParameters, time } from "./access.ts";

const classRights = z.array(
  z.object({
    group: z.string().describe("Id or UUID of a user group; `*` stands for all users."),
    permissions: z.array(permission).describe("Rights of the group on objects of the class."),
  }),
);

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

export type ClassRightsData = z.infer<typeof classRightsResponse>;
export type AdministeredKeyData = z.infer<typeof administeredKey>;
export type RotatedKeyData = z.infer<typeof rotatedKey>;
export type WaitingMailData = z.infer<typeof waitingMailResponse>;
export type AdministeredMacroData = z.infer<typeof administeredMacro>;
export type MacroVersionData = z.infer<typeof macroVersion>;

/** The rights of classes. `ETag` is the generation of the model. */
export const classRightsOperations = operations("Model", {
  listClassRights: {
    method: "GET",
    path: "/admin/v1/classes",
    access: "session",
    summary: "List the rights of the classes",
    data: classesRightsResponse,
    versioned: true,
  },
  setClassRights: {
    method: "PUT",
    path: "/admin/v1/classes/{className}/rights",
    access: "session",
    proof: true,
    summary: "Set the rights of a class",
    description: "Takes effect with the next request.",
    body: { json: classRightsRequest },
    data: classRightsResponse,
    versioned: true,
    conditional: true,
    errors: [713],
  },
});

/** The keys of the database, and the outbox of mail. */
export const keyOperations = operations("Operations", {
  listKeys: {
    method: "GET",
    path: "/admin/v1/keys",
    access: "session",
    summary: "List the accepted keys",
    data: keysResponse,
  },
  rotateKey: {
    method: "POST",
    path: "/admin/v1/keys/{kind}/rotate",
    access: "session",
    proof: true,
    summary: "Replace the current key",
    description: "The former key is accepted for 24 hours, and sessions continue. `kind` is `rsa` or `jwt`.",
    data: rotatedKey,
    errors: [713],
  },
  getWaitingMail: {
    method: "GET",
    path: "/admin/v1/mail",
    access: "session",
    summary: "Get the state of the outbox",
    data: waitingMailResponse,
  },
});

/** Macros, read-only. Their source is not part of any request or response. */
export const administeredMacroOperations = operations("Macros", {
  listMacros: {
    method: "GET",
    path: "/admin/v1/macros",
    access: "session",
    summary: "List the macros and hooks with their state",
    data: macrosResponse,
  },
  getMacroHistory: {
    method: "GET",
    path: "/admin/v1/macros/{macroName}/history",
    access: "session",
    summary: "Get the versions of a macro",
    description: "Of a macro in the database, the latest version first. Includes removals.",
    query: macroVersionParameters,
    data: macroVersionsResponse,
  },
});
