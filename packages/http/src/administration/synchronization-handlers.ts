import type { syncAdministrationOperations } from "@sallyport/contract";
import {
  administeredSync,
  dropSyncSchema,
  findSyncSchema,
  listStoredSyncSchemas,
  storeSyncSchema,
  switchSync,
  explainAbsence,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { requiredVersions } from "./answers.ts";

/** The switch and the schemas of synchronization, and missing objects. */
export const syncAdministrationHandlers: Handlers<typeof syncAdministrationOperations> = {
  getSynchronization: async (context) => {
    const { content: data, version } = await administeredSync(context);
    return { data, version };
  },
  switchSynchronization: async (context, { body: { enabled }, ...input }) => {
    const change = { enabled, expectedVersions: requiredVersions(input) };
    const { content: data, version } = await switchSync(context, change);
    return { data, version };
  },
  listSyncSchemas: async (context) => ({ data: { items: await listStoredSyncSchemas(context) } }),
  getSyncSchema: async (context, { parameter }) => {
    const { content: data, version } = await findSyncSchema(context, parameter("name"));
    return { data, version };
  },
  putSyncSchema: async (context, { parameter, body, expectedVersions }) => {
    const change = { ...body, name: parameter("name"), expectedVersions };
    const { content: data, version } = await storeSyncSchema(context, change);
    return { data, version };
  },
  removeSyncSchema: (context, { parameter, ...input }) =>
    dropSyncSchema(context, { name: parameter("name"), expectedVersions: requiredVersions(input) }),
  explainAbsence: async (context, { parameter, query: { user, uuid, syncVersion = null } }) => {
    const selector = { schemaName: parameter("name"), userId: user, uuid, syncVersion };
    return { data: { items: await explainAbsence(context, selector) } };
  },
};
