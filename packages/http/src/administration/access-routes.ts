import {
  administrationLogInFaultOrder,
  administrationLogInRequest,
  apiDescription,
  emptyResponse,
  maintenanceRequest,
  maintenanceResponse,
  proofRequest,
  sessionLogInResponse,
} from "@sallyport/contract";
import {
  type MaintenanceNotice,
  readMaintenance,
  replaceUnchanged,
  setMaintenance,
  contentVersion,
} from "@sallyport/core";
import { DatabaseDescriptions } from "../openapi/open-api-document.ts";
import { defineRoute, type Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationPath, administrationRoute, requiredVersions, timeText } from "./administration-route.ts";

/** Log-in, log-out and proof of administrators. */
export function accessRoutes({ logInAdministrator, giveProof, logOutAdministrator }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: `${administrationPath}/login`,
      administration: true,
      operation: "logIn",
      summary: "Log in",
      description:
        "Opens a session for the administration routes. Accepts administrators only: for anyone else the answer is that to a wrong password. The limits of sessions and seats do not apply. A second factor is needed if the app name `administration` has such a rule.",
      access: "secrets",
      body: { schema: administrationLogInRequest, faultOrder: administrationLogInFaultOrder },
      data: sessionLogInResponse,
      errors: [301, 302, 318, 340, 341, 342, 403],
      handle: async (context, { body: { user, pass, "2faToken": token } }) => ({
        data: await logInAdministrator.logInAdministrator(context, { user, pass, token: token ?? null }),
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/logout",
      operation: "logOut",
      endsSession: true,
      summary: "Log out",
      data: emptyResponse,
      errors: [703],
      handle: async (context) => {
        await logOutAdministrator.logOut(context);
        return { data: {} };
      },
    }),
    administrationRoute({
      method: "POST",
      path: "/proof",
      operation: "giveProof",
      summary: "Prove the password or the second factor again",
      description:
        "Routes that change keys, rights or credentials need a proof that is at most 10 minutes old, else 802. A log-in is such a proof. Send either the own password or a token.",
      body: { schema: proofRequest, faultOrder: [] },
      data: emptyResponse,
      errors: [302, 304, 342],
      handle: async (context, { body: { pass, "2faToken": token } }) => {
        await giveProof.giveProof(context, pass === undefined ? { token: token ?? "" } : { pass });
        return { data: {} };
      },
    }),
  ];
}

/** Maintenance of the database. */
export function maintenanceRoutes(): Route[] {
  const shown = (notice: MaintenanceNotice | null) => ({
    active: notice !== null,
    message: notice?.message ?? null,
    endsAt: notice === null || notice.endsAt === null ? null : timeText(notice.endsAt),
  });
  return [
    administrationRoute({
      method: "GET",
      path: "/maintenance",
      operation: "getMaintenance",
      summary: "Get the maintenance mode",
      data: maintenanceResponse,
      versioned: true,
      errors: [],
      handle: async (context) => {
        const data = shown(await readMaintenance(context));
        return { data, version: contentVersion(data, context.database.digests) };
      },
    }),
    administrationRoute({
      method: "PUT",
      path: "/maintenance",
      operation: "setMaintenance",
      summary: "Begin or end the maintenance",
      description: "During maintenance only the administration routes and their log-in work; all others fail with 706.",
      body: { schema: maintenanceRequest, faultOrder: [] },
      data: maintenanceResponse,
      versioned: true,
      conditional: true,
      errors: [713],
      handle: async (context, { body: { active, message, endsAt }, ...input }) => {
        const notice = active ? { message, endsAt: endsAt === null ? null : Date.parse(endsAt) } : null;
        const { content, version } = await replaceUnchanged(context, {
          resource: "maintenance",
          expectedVersions: requiredVersions(input),
          read: async (r) => shown(await readMaintenance({ r })),
          write: (inside) => setMaintenance(inside, notice),
        });
        return { data: content, version };
      },
    }),
  ];
}

/** The API description of the administration routes. */
export function administrationDescriptionRoute(routes: () => readonly Route[]): Route {
  const descriptions = new DatabaseDescriptions(routes);
  return defineRoute({
    method: "GET",
    path: `${administrationPath}/openapi.json`,
    administration: true,
    operation: "describeAdministration",
    summary: "Get the API description",
    description: "Returns this document. Needs no credentials.",
    access: "public",
    compressed: true,
    isDocument: true,
    data: apiDescription,
    errors: [],
    handle: async (context, { settings }) => ({ document: descriptions.of(context.database, settings) }),
  });
}
