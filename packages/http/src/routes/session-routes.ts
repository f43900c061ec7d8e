import { emptyResponse, sessionLogInResponse } from "@sallyport/contract";
import { logInBody, logInInput } from "./log-in-input.ts";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Coming in, staying and leaving in session-id mode. */
export function sessionRoutes({ logIn, logOut }: Pick<UseCases, "logIn" | "logOut">): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/login",
      standsAlone: true,
      operation: "logIn",
      summary: "Logs in with the credentials of a database user and opens a session.",
      access: "secrets",
      body: logInBody,
      data: sessionLogInResponse,
      errors: [208, 209, 210, 301, 302, 315, 340, 341, 342],
      handle: async (context, { body }) => ({ data: await logIn.run(context, await logInInput(context, body)) }),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/logout",
      standsAlone: true,
      whileEnrolling: true,
      operation: "logOut",
      endsSession: true,
      summary: "Ends the session; no server accepts it afterwards.",
      access: "session",
      data: emptyResponse,
      errors: [703],
      handle: async (context) => {
        await logOut.run(context);
        return { data: {} };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/_CheckSession",
      whileEnrolling: true,
      operation: "checkSession",
      summary: "Succeeds while the session lives, and keeps it alive.",
      access: "session",
      data: emptyResponse,
      errors: [],
      handle: async () => ({ data: {} }),
    }),
  ];
}
