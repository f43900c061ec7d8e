import * as z from "zod";
import { deviceId, maxTokenLength, maxAppNames, refusedWith } from "./fields.ts";
import { logInRequest, sessionLogInResponse } from "./log-in.ts";

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

const shown = logInRequest.shape;

/** A required member. Its absence has the code of a wrong value. */
const needed = () => z.string({ error: ({ input }) => (input === undefined ? "324" : "307") });

/** Body that exchanges a code for the result of a log-in with an external provider. */
export const returnCodeRequest = z
  .object({
    code: needed().describe("Code from the redirect to the app. Valid once, for 60 seconds, with the same app key."),
    verifier: needed().describe(
      "Verifier of `challenge` (RFC 7636): 43 to 128 characters of `A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_` and `~`.",
    ),
    "2faToken": shown["2faToken"],
    "2faEnrol": shown["2faEnrol"],
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
