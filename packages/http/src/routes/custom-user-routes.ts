import { confirmChangePasswordRequest, emptyResponse, sessionLogInResponse } from "@sallyport/contract";
import type { ConfirmCustomPassword, LogInCustomUser } from "@sallyport/core";
import { logInBody, logInInput } from "./session-routes.ts";
import { defineRoute, type Route } from "./route.ts";

export interface CustomUserUseCases {
  readonly logInCustomUser: LogInCustomUser;
  readonly confirmCustomPassword: ConfirmCustomPassword;
}

/** The way in for those who are no database users, and to another password. */
export function customUserRoutes({ logInCustomUser, confirmCustomPassword }: CustomUserUseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/auth/df",
      standsAlone: true,
      operation: "logInCustomUser",
      summary: "Logs in somebody who is no database user, and opens a session of the database user he is mapped to.",
      access: "secrets",
      body: logInBody,
      data: sessionLogInResponse,
      description:
        "Custom users have names and passwords of their own. Where the hook `xRestApi_Authenticate` is there, it decides who they are; when it fails: 710.",
      errors: [208, 209, 210, 301, 302, 315, 340, 341, 342, 710],
      handle: async (context, { body }) => ({
        data: await logInCustomUser.run(context, await logInInput(context, body)),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/auth/df/confirmChangePassword",
      standsAlone: true,
      operation: "confirmChangePassword",
      summary: "Makes the new password of a custom user the current one. All his other sessions end.",
      access: "session",
      body: { schema: confirmChangePasswordRequest, faultOrder: [326] },
      data: emptyResponse,
      description:
        "The code is mailed by `POST /v1/changePassword`. It is good once, for 10 minutes and 5 tries; a wrong one counts as a failed log-in.",
      errors: [326],
      handle: async (context, { body, language }) => {
        await confirmCustomPassword.run(context, { confirmationCode: body.confirmationCode, language });
        return { data: {} };
      },
    }),
  ];
}
