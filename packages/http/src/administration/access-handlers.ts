import {
  type accessOperations,
  type administrationDescriptionOperations,
  type consoleOperations,
  type maintenanceOperations,
  administrationOperations,
  operationsOf,
} from "@sallyport/contract";
import {
  administrationRightsOf,
  type ConsoleKey,
  contentVersion,
  type MaintenanceNotice,
  readMaintenance,
  replaceIfMatch,
  setMaintenance,
  logInAdministrator,
  logOutAdministrator,
  giveProof,
  needsSetUp,
  openConsoleSession,
  setUp,
  tradeConsoleTicket,
} from "@sallyport/core";
import { ServiceError } from "@sallyport/storage";
import { DatabaseDescriptions } from "../openapi/open-api-document.ts";
import type { Handlers } from "../route.ts";
import { requiredVersions, timeText } from "./answers.ts";

/** Log-in, log-out, proof and rights of administrators. */
export const accessHandlers: Handlers<typeof accessOperations> = {
  logIn: async (context, { body: { user, pass, "2faToken": token } }) => ({
    data: await logInAdministrator(context, { user, pass, token: token ?? null }),
  }),
  logOut: (context) => logOutAdministrator(context),
  giveProof: (context, { body: { pass, "2faToken": token } }) =>
    giveProof(context, pass === undefined ? { token: token ?? "" } : { pass }),
  getOwnRights: async (context) => {
    const rights = await administrationRightsOf(context.r, context.principal);
    // They were taken since the admission.
    if (rights === null) throw new ServiceError(context.sessionEndedCode);
    return { data: { rights } };
  },
};

const shownConsoleKey = ({ key: appKey, name, expiresAt }: ConsoleKey) => ({
  appKey,
  name,
  expiresAt: timeText(expiresAt),
});

/** What consoles need besides the other routes. */
export const consoleHandlers: Handlers<typeof consoleOperations> = {
  tradeConsoleTicket: async (context, { body: { ticket } }) => ({
    data: shownConsoleKey(await tradeConsoleTicket(context, ticket)),
  }),
  askForSetUp: async (context) => ({ data: { needed: await needsSetUp(context) } }),
  setUp: async (context, { body }) => ({ data: shownConsoleKey(await setUp(context, body)) }),
  openConsoleSession: async (context) => ({ data: { sessionId: await openConsoleSession(context) } }),
};

const shownMaintenance = (notice: MaintenanceNotice | null) => ({
  active: notice !== null,
  message: notice?.message ?? null,
  endsAt: notice === null || notice.endsAt === null ? null : timeText(notice.endsAt),
});

/** Maintenance of the database. */
export const maintenanceHandlers: Handlers<typeof maintenanceOperations> = {
  getMaintenance: async (context) => {
    const data = shownMaintenance(await readMaintenance(context));
    return { data, version: contentVersion(data, context.database.digests) };
  },
  setMaintenance: async (context, { body: { active, message, endsAt }, ...input }) => {
    const notice = active ? { message, endsAt: endsAt === null ? null : Date.parse(endsAt) } : null;
    const { content, version } = await replaceIfMatch(context, {
      resource: "maintenance",
      expectedVersions: requiredVersions(input),
      read: async (r) => shownMaintenance(await readMaintenance({ r })),
      write: (inside) => setMaintenance(inside, notice),
    });
    return { data: content, version };
  },
};

const descriptions = new DatabaseDescriptions(operationsOf(administrationOperations));

/** The API description of the operations for administrators. */
export const administrationDescriptionHandlers: Handlers<typeof administrationDescriptionOperations> = {
  describeAdministration: async (context, { settings }) => ({ document: descriptions.of(context.database, settings) }),
};
