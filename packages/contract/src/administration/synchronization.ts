import * as z from "zod";
import { operations } from "../operations.ts";
import { objectId } from "./access.ts";

/** Synchronization of the database. */
export const synchronizationResponse = z
  .object({
    enabled: z.boolean(),
    tombstoneSeconds: z
      .int()
      .nullable()
      .describe(
        "Seconds for which the database keeps tombstones. A device that stays away longer starts over. `null`: no limit.",
      ),
  })
  .meta({ id: "Synchronization" });

/** Body of `PATCH /admin/v1/sync`. */
export const synchronizationRequest = z
  .strictObject({ enabled: z.boolean().describe("`false` refuses the requests of devices with 717.") })
  .meta({ id: "SynchronizationChange" });

const conflicts = z
  .union([
    z.enum(["client", "server", "reject"]),
    z.strictObject({ macro: z.string().max(128).describe("Name of the macro.") }),
  ])
  .describe(
    "Decides about a field that a device and the server have both changed: the value of the `client`, that of the `server`, `reject` the change with 332, or let a macro decide.",
  );

const direction = z.enum(["pull", "push", "both"]).describe("Whether devices can only read, only write, or both.");

const pageSize = z.int().describe("Default number of changes in a page, 1 to 5,000.");

const where = z.json().describe("Filter as in lists, without paths through references. `null`: all objects.");

/** A schema of synchronization. */
export const administeredSyncSchema = z
  .object({
    name: z.string(),
    classes: z.array(
      z.object({ className: z.string(), fields: z.array(z.string()).nullable().describe("`null`: all attributes.") }),
    ),
    where,
    direction,
    conflicts,
    pageSize,
    broken: z
      .string()
      .optional()
      .describe("Why the schema does not fit the classes any more. Only if it does not: it could not be stored again."),
  })
  .meta({ id: "AdministeredSyncSchema" });

export const administeredSyncSchemas = z
  .object({ items: z.array(administeredSyncSchema) })
  .meta({ id: "AdministeredSyncSchemas" });

/** Body of `PUT /admin/v1/sync/schemas/{name}`. */
export const syncSchemaRequest = z
  .strictObject({
    classes: z
      .array(
        z.strictObject({
          className: z.string().describe("Includes the subclasses."),
          fields: z.array(z.string()).nullable().default(null).describe("Names of attributes. `null`: all."),
        }),
      )
      .describe("A class that is listed does not use the fields of its base class."),
    where: where.default(null),
    direction: direction.default("both"),
    conflicts: conflicts.default("client"),
    pageSize: pageSize.default(500),
  })
  .meta({ id: "PutSyncSchema" });

/** Query parameters of the explanation of a missing object. */
export const absenceParameters = z.object({
  user: objectId.describe("Id of the user of the device."),
  uuid: z.string().min(1).max(64).describe("UUID of the object."),
  syncVersion: z
    .string()
    .max(64)
    .optional()
    .describe("The version that the device has. Without it, the answer does not know what the device has received."),
});

/** Why a device does not have an object. */
export const absenceResponse = z
  .object({
    items: z.array(
      z.object({
        check: z.string().describe("Such as `rights`."),
        level: z.enum(["ok", "cause", "unknown"]).describe("`cause`: explains the absence."),
        finding: z.string(),
        fix: z.string().nullable().describe("The next step. `null` if none is needed."),
      }),
    ),
  })
  .meta({ id: "SyncAbsence" });

export type SynchronizationData = z.infer<typeof synchronizationResponse>;
export type AdministeredSyncSchemaData = z.infer<typeof administeredSyncSchema>;
export type SyncSchemaRequestData = z.input<typeof syncSchemaRequest>;
export type AbsenceFindingData = z.infer<typeof absenceResponse>["items"][number];

/** The switch and the schemas of synchronization, and missing objects. */
export const syncAdministrationOperations = operations("Synchronization", {
  getSynchronization: {
    method: "GET",
    path: "/admin/v1/sync",
    access: "session",
    summary: "Get the switch of synchronization",
    data: synchronizationResponse,
    versioned: true,
  },
  switchSynchronization: {
    method: "PATCH",
    path: "/admin/v1/sync",
    access: "session",
    summary: "Switch synchronization on or off",
    description: "While it is off, requests of devices fail with 717. Nothing is lost: devices continue later.",
    body: { json: synchronizationRequest },
    data: synchronizationResponse,
    versioned: true,
    conditional: true,
    errors: [713],
  },
  listSyncSchemas: {
    method: "GET",
    path: "/admin/v1/sync/schemas",
    access: "session",
    summary: "List the schemas of synchronization",
    data: administeredSyncSchemas,
  },
  getSyncSchema: {
    method: "GET",
    path: "/admin/v1/sync/schemas/{name}",
    access: "session",
    summary: "Get a schema of synchronization",
    data: administeredSyncSchema,
    versioned: true,
  },
  putSyncSchema: {
    method: "PUT",
    path: "/admin/v1/sync/schemas/{name}",
    access: "session",
    proof: true,
    summary: "Store a schema of synchronization, or replace it",
    description:
      "`If-Match` is required if the schema exists, and must be absent otherwise. Devices of a changed schema start over. A schema widens no rights.",
    body: { json: syncSchemaRequest },
    data: administeredSyncSchema,
    versioned: true,
    conditional: true,
    errors: [333, 713],
  },
  removeSyncSchema: {
    method: "DELETE",
    path: "/admin/v1/sync/schemas/{name}",
    access: "session",
    proof: true,
    summary: "Remove a schema of synchronization",
    description: "Requests of its devices fail with 333. Devices keep what they have.",
    conditional: true,
    errors: [713],
  },
  explainAbsence: {
    method: "GET",
    path: "/admin/v1/sync/schemas/{name}/absence",
    access: "session",
    // It tells of objects beyond the groups of who only views.
    rights: ["all"],
    summary: "Explain why an object is not on a device",
    description:
      "Checks, for one user and one UUID, everything that decides whether a pull contains the object. Shows nothing of its content.",
    query: absenceParameters,
    data: absenceResponse,
  },
});
