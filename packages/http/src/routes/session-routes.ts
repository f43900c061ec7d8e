import {
  confirmChangePasswordRequest,
  emptyResponse,
  logInCredentials,
  logInFaultOrder,
  logInOptions,
  logInRequest,
  parseFields,
  sessionLogInResponse,
} from "@sallyport/contract";
import { acceptAppNames, type AppKeyContext, type LogInInput } from "@sallyport/core";
import type { z } from "zod";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes of log-in and log-out in session-id mode. */
export function sessionRoutes({ logIn, logOut }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/login",
      excludedFromMulti: true,
      operation: "logIn",
      summary: "Log in",
      description: "Opens a session with the credentials of a database user.",
      access: "secrets",
      body: logInBody,
      data: sessionLogInResponse,
      errors: [208, 209, 210, 301, 302, 306, 315, 318, 340, 341, 342, 403, 711],
      handle: async (context, { body }) => ({ data: await logIn.logIn(context, await logInInput(context, body)) }),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/logout",
      excludedFromMulti: true,
      whileEnrolling: true,
      operation: "logOut",
      endsSession: true,
      summary: "Log out",
      description: "Ends the session on all servers.",
      access: "session",
      data: emptyResponse,
      errors: [703],
      handle: async (context) => {
        await logOut.logOut(context);
        return { data: {} };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/_CheckSession",
      whileEnrolling: true,
      operation: "checkSession",
      summary: "Check the session",
      description: "Succeeds if the session is active, and extends it.",
      access: "session",
      data: emptyResponse,
      errors: [],
      handle: async () => ({ data: {} }),
    }),
  ];
}

/** Body rule of a log-in. It validates the credentials; `logInInput` validates the other members. */
export const logInBody = {
  schema: logInRequest,
  faultOrder: logInFaultOrder,
  alternative: () => ({ schema: logInCredentials, faultOrder: logInFaultOrder }),
};

/** Parses the fields of a log-in. An unusable app name (208, 210) precedes an error in another member. */
export async function logInInput(
  context: AppKeyContext,
  fields: z.output<typeof logInCredentials>,
): Promise<LogInInput> {
  const { user, pass, appNames } = fields;
  try {
    const { device, "2faToken": token, "2faEnrol": enrol } = parseFields(logInOptions, fields, []);
    return {
      user,
      pass,
      appNames,
      deviceId: device?.deviceId?.trim() || null,
      device: describedBy(device),
      secondFactor: { token: token ?? null, enrol: enrol ?? false },
    };
  } catch (error) {
    await acceptAppNames(context, appNames);
    throw error;
  }
}

/** The description of the device by the client, without the id and absent members. */
function describedBy({ deviceId: _deviceId, ...device }: z.output<typeof logInOptions>["device"] & {} = {}) {
  return Object.fromEntries(
    Object.entries(device).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Routes of custom users: log-in and confirmation of a password change. */
export function customUserRoutes({ logInCustomUser, confirmCustomPassword }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/auth/df",
      excludedFromMulti: true,
      operation: "logInCustomUser",
      summary: "Log in as a custom user",
      access: "secrets",
      body: logInBody,
      data: sessionLogInResponse,
      description:
        "A custom user has a name and a password, but no database account. Opens a session of the database user that the custom user is mapped to. If the hook `xRestApi_Authenticate` exists, it authenticates custom users. If the hook fails, the log-in fails with 710.",
      errors: [208, 209, 210, 301, 302, 306, 315, 318, 340, 341, 342, 403, 710, 711],
      handle: async (context, { body }) => ({
        data: await logInCustomUser.logInCustomUser(context, await logInInput(context, body)),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/auth/df/confirmChangePassword",
      excludedFromMulti: true,
      operation: "confirmChangePassword",
      summary: "Confirm a password change",
      access: "session",
      body: { schema: confirmChangePasswordRequest, faultOrder: [326] },
      data: emptyResponse,
      description:
        "Sets the new password of a custom user with the code that `POST /v1/changePassword` mailed, and ends all other sessions. The code is valid once, for 10 minutes and 5 attempts. A wrong code counts as a failed log-in.",
      errors: [326],
      handle: async (context, { body, language }) => {
        await confirmCustomPassword.confirmCustomPassword(context, {
          confirmationCode: body.confirmationCode,
          language,
        });
        return { data: {} };
      },
    }),
  ];
}
