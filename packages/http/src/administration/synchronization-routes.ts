import {
  absenceParameters,
  absenceResponse,
  administeredSyncSchema,
  administeredSyncSchemas,
  emptyResponse,
  synchronizationRequest,
  synchronizationResponse,
  syncSchemaRequest,
} from "@sallyport/contract";
import {
  administeredSync,
  dropSyncSchema,
  findSyncSchema,
  listSyncSchemas,
  storeSyncSchema,
  switchSync,
} from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationRoute, requiredVersions } from "./administration-route.ts";

/** Routes of the switch and the schemas of synchronization, and of missing objects. */
export function synchronizationRoutes({ explainAbsence }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/sync",
      operation: "getSynchronization",
      summary: "Get the switch of synchronization",
      data: synchronizationResponse,
      versioned: true,
      errors: [],
      handle: async (context) => {
        const { content: data, version } = await administeredSync(context);
        return { data, version };
      },
    }),
    administrationRoute({
      method: "PATCH",
      path: "/sync",
      operation: "switchSynchronization",
      summary: "Switch synchronization on or off",
      description: "While it is off, requests of devices fail with 717. Nothing is lost: devices continue later.",
      body: { schema: synchronizationRequest, faultOrder: [] },
      data: synchronizationResponse,
      versioned: true,
      conditional: true,
      errors: [713],
      handle: async (context, { body: { enabled }, ...input }) => {
        const given = { enabled, expectedVersions: requiredVersions(input) };
        const { content: data, version } = await switchSync(context, given);
        return { data, version };
      },
    }),
    administrationRoute({
      method: "GET",
      path: "/sync/schemas",
      operation: "listSyncSchemas",
      summary: "List the schemas of synchronization",
      data: administeredSyncSchemas,
      errors: [],
      handle: async (context) => ({ data: { items: await listSyncSchemas(context) } }),
    }),
    administrationRoute({
      method: "GET",
      path: "/sync/schemas/{name}",
      operation: "getSyncSchema",
      summary: "Get a schema of synchronization",
      data: administeredSyncSchema,
      versioned: true,
      errors: [],
      handle: async (context, { parameter }) => {
        const { content: data, version } = await findSyncSchema(context, parameter("name"));
        return { data, version };
      },
    }),
    administrationRoute({
      method: "PUT",
      path: "/sync/schemas/{name}",
      operation: "putSyncSchema",
      summary: "Store a schema of synchronization, or replace it",
      description:
        "`If-Match` is required if the schema exists, and must be absent otherwise. Devices of a changed schema start over. A schema widens no rights.",
      needsProof: true,
      body: { schema: syncSchemaRequest, faultOrder: [] },
      data: administeredSyncSchema,
      versioned: true,
      conditional: true,
      errors: [333, 713],
      handle: async (context, { parameter, body, expectedVersions }) => {
        const given = { ...body, name: parameter("name"), expectedVersions };
        const { content: data, version } = await storeSyncSchema(context, given);
        return { data, version };
      },
    }),
    administrationRoute({
      method: "DELETE",
      path: "/sync/schemas/{name}",
      operation: "removeSyncSchema",
      summary: "Remove a schema of synchronization",
      description: "Requests of its devices fail with 333. Devices keep what they have.",
      needsProof: true,
      data: emptyResponse,
      conditional: true,
      errors: [713],
      handle: async (context, { parameter, ...input }) => {
        await dropSyncSchema(context, { name: parameter("name"), expectedVersions: requiredVersions(input) });
        return { data: {} };
      },
    }),
    administrationRoute({
      method: "GET",
      path: "/sync/schemas/{name}/absence",
      operation: "explainAbsence",
      summary: "Explain why an object is not on a device",
      description:
        "Checks, for one user and one UUID, everything that decides whether a pull contains the object. Shows nothing of its content.",
      query: absenceParameters,
      data: absenceResponse,
      errors: [],
      handle: async (context, { parameter, query: { user, uuid, syncVersion = null } }) => {
        const given = { schemaName: parameter("name"), userId: user, uuid, syncVersion };
        return { data: { items: await explainAbsence.explainAbsence(context, given) } };
      },
    }),
  ];
}
