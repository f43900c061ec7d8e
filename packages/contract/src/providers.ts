import * as z from "zod";
import { deviceId, maxTokenLength, maxAppNames, refusedWith, secondFactorTokens } from "./fields.ts";
import { logInRequest, sessionLogInResponse, logInBody, secondFactorEnrolment } from "./log-in.ts";
import { operations } from "./operations.ts";

/** Comma-separated app names. Returns `null` if a name is blank or the list is too long. */
export function splitAppNames(text: string): string[] | null {
  const names = text.split(",").map((name) => name.trim());
  return names.includes("") || names.length > maxAppNames ? null : names;
}

const maxParameterLength = 16_384;

/** Maximum length in characters of a return address. */
const maxAddressLength = 2_048;

/** Query parameters of a log-in with an external provider. */
export const providerLogInParameters = z.object({
  appNames: z
    .string()
    .refine((text) => splitAppNames(text) !== null, refusedWith(208))
    .optional()
    .describe("App names, separated by commas. Defaults to those registered with the provider."),
  deviceId,
  "2faToken": z
    .string()
    .max(maxTokenLength)
    .optional()
    .describe("Token or recovery code of the second factor. An empty string counts as absent."),
  returnTo: z
    .string()
    .max(maxAddressLength)
    .optional()
    .describe(
      "URL to redirect the browser to after the callback, with a `code` for `POST /v1/auth/code` or with an `error`. The app key must list it. Requires `challenge`.",
    ),
  challenge: z
    .string()
    .max(128)
    .optional()
    .describe(
      "With `returnTo`: the SHA-256, as base64url, of the `verifier` of 43 to 128 characters that the exchange of the code needs (PKCE, `S256`).",
    ),
  "2faEnrol": z
    .enum(["true", "false"])
    .optional()
    .describe(
      "`true` opens a session that can only set up a second factor if a required one is missing, instead of error 340.",
    ),
});

const parameter = z.string().max(maxParameterLength).optional();

/** Parameters of a provider callback, in the query or in a form. Other parameters are ignored. */
export const providerCallbackParameters = z.object({
  state: parameter.describe("State of the log-in, valid once."),
  code: parameter.describe("Authorization code of the provider."),
  error: parameter.describe("Error of the provider."),
  error_description: parameter,
  error_code: parameter,
  error_message: parameter,
  error_reason: parameter,
  iss: parameter,
  id_token: parameter,
  user: parameter.describe("Name of the user as JSON. Only from Apple, at the first log-in."),
});

/** A required member. Its absence has the code of a wrong value. */
const needed = () => z.string({ error: ({ input }) => (input === undefined ? "324" : "307") });

/** Body that exchanges a code for the result of a log-in with an external provider. */
export const returnCodeRequest = z
  .object({
    code: needed().describe("Code from the redirect to the app. Valid once, for 60 seconds, with the same app key."),
    verifier: needed().describe(
      "Verifier of `challenge` (RFC 7636): 43 to 128 characters of `A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_` and `~`.",
    ),
    "2faToken": secondFactorTokens,
    "2faEnrol": secondFactorEnrolment,
  })
  .meta({ id: "ReturnCodeRequest" });

/** Body of the log-in that links a provider account to a database user. */
export const linkingLogInRequest = logInRequest
  .extend({ dfUuid: z.unknown().optional().describe("`dfUuid` from the provider log-in.") })
  .meta({ id: "LinkingLogInRequest" });

/** `data` of a provider callback for an account without a database user. */
export const unassignedResponse = z
  .object({
    dfUuid: z
      .string()
      .describe(
        "Links the provider account to a database user with `POST /v1/extLogin`. Valid once, for 15 minutes, with the same app key.",
      ),
  })
  .meta({ id: "UnassignedAccount" });

/** `data` of a provider callback. */
export const providerLogInResponse = z.union([sessionLogInResponse, unassignedResponse]);

/** `data` of the list of the caller's links. */
export const linksResponse = z
  .object({
    links: z.array(
      z.object({
        provider: z.string().describe("`google`, `facebook`, `microsoft` or `apple`."),
        displayName: z.string().nullable().describe("Display name from the provider at the time of linking."),
        email: z.string().nullable().describe("E-mail address from the provider at the time of linking. Not verified."),
        shared: z.boolean().describe("Whether it was linked without the credentials of the user."),
        linkedAt: z.string().describe("Time of linking, ISO 8601 in UTC."),
      }),
    ),
  })
  .meta({ id: "Links" });

/** `message` of a provider callback for an account without a database user. */
export const unassignedMessage = "A database user must be assigned";

const finishing = {
  path: "/v1/{providerName}/callback",
  access: "address",
  description: [
    "Opens a session, or returns a `dfUuid` to link the account to a database user. Uses the app key of the request that started the log-in. A callback that does not match that request or is repeated fails with 324.",
    "A log-in with `returnTo` redirects there, with `code`, or with `error` and the error code.",
  ].join(" "),
  data: providerLogInResponse,
  answer: "mayRedirect",
  errors: [101, 208, 210, 302, 306, 315, 318, 324, 340, 341, 342, 403, 608, 698, 710, 711],
} as const;

/** Log-in with external providers, and links of accounts. */
export const providerOperations = operations("Providers", {
  startProviderLogIn: {
    method: "GET",
    path: "/v1/auth/{providerName}",
    access: "navigation",
    summary: "Start a provider log-in",
    description: [
      "Redirects the browser to the log-in page of the provider, which redirects it to the callback. The callback requires the cookie of this response.",
      "Fails with 307 if the app key does not list `returnTo`, or if `challenge` is missing.",
    ].join(" "),
    query: providerLogInParameters,
    answer: "redirect",
    errors: [208, 209, 210, 608, 698],
  },
  finishProviderLogIn: {
    ...finishing,
    method: "GET",
    summary: "Finish a provider log-in",
    query: providerCallbackParameters,
  },
  finishAppleLogIn: {
    ...finishing,
    method: "POST",
    summary: "Finish an Apple log-in",
    body: { form: providerCallbackParameters, only: { providerName: ["apple", "appleid"] } },
  },
  exchangeReturnCode: {
    method: "POST",
    path: "/v1/auth/code",
    access: "secrets",
    summary: "Exchange a code of a provider log-in",
    description:
      "Exchanges the code from the redirect for the response of the callback. The code is valid once, for 60 seconds, with the same app key. The errors 340, 341 and 342 do not use it up: send it again with a `2faToken`.",
    body: { json: returnCodeRequest, order: [324] },
    data: providerLogInResponse,
    errors: [302, 306, 315, 318, 324, 340, 341, 342, 403, 608, 698, 710, 711],
  },
  logInAndLinkProvider: {
    method: "POST",
    path: "/v1/extLogin",
    access: "secrets",
    summary: "Log in and link a provider account",
    description:
      "Logs in with the credentials of a database user and links the provider account to it. The credentials are checked before the `dfUuid`. Only a success uses up the `dfUuid`.",
    body: { ...logInBody, json: linkingLogInRequest },
    data: sessionLogInResponse,
    errors: [208, 209, 210, 301, 302, 306, 315, 318, 324, 340, 341, 342, 403, 711],
  },
  listOwnLinks: {
    method: "GET",
    path: "/v1/auth/links",
    access: "session",
    summary: "List the linked accounts",
    description:
      "Lists the provider accounts linked to the caller. A caller with a shared user sees the own account only.",
    data: linksResponse,
  },
  removeOwnLinks: {
    method: "DELETE",
    path: "/v1/auth/links/{providerName}",
    access: "session",
    inMulti: false,
    summary: "Remove the linked accounts",
    description:
      "Removes the links of the caller to the provider, and ends the sessions that they opened. Fails with 307 if a linked account has a confirmed second factor. Disable it first, or ask an administrator to remove the link.",
    errors: [304, 307, 698],
  },
});
