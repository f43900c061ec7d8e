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
    .describe("App names, with commas between them; unless given, those that are registered with the provider."),
  deviceId,
  "2faToken": z
    .string()
    .max(maxTokenLength)
    .optional()
    .describe("Token of the second factor, or a recovery code, as in a log-in body; empty counts as absent."),
  returnTo: z
    .string()
    .max(maxAddressLength)
    .optional()
    .describe(
      "Where the browser goes after the callback, with a `code` for `POST /v1/auth/code` or with an `error`: an address that the app key lists. Needs `challenge`.",
    ),
  challenge: z
    .string()
    .max(128)
    .optional()
    .describe(
      "With `returnTo`: the SHA-256, as base64url, of the `verifier` of 43 to 128 characters that the code is traded with (PKCE, `S256`).",
    ),
  "2faEnrol": z
    .enum(["true", "false"])
    .optional()
    .describe("`true` asks for a session that is good for setting up a second factor alone, as in a log-in body."),
});

const parameter = z.string().max(maxParameterLength).optional();

/** Parameters of a provider callback, in the query or in a form. Other parameters are ignored. */
export const providerCallbackParameters = z.object({
  state: parameter.describe("As the log-in began with it; it is good once."),
  code: parameter.describe("What the server trades for the account."),
  error: parameter.describe("Why there is no code."),
  error_description: parameter,
  error_code: parameter,
  error_message: parameter,
  error_reason: parameter,
  iss: parameter,
  id_token: parameter,
  user: parameter.describe("Of Apple: the name, at the first log-in only."),
});

const shown = logInRequest.shape;

/** A required member. Its absence has the code of a wrong value. */
const needed = () => z.string({ error: ({ input }) => (input === undefined ? "324" : "307") });

/** Body that exchanges a code for the result of a log-in with an external provider. */
export const returnCodeRequest = z
  .object({
    code: needed().describe("As the return address was given it; good once, for 60 seconds, with the same app key."),
    verifier: needed().describe(
      "What `challenge` is the SHA-256 of: 43 to 128 characters of `A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_` and `~`.",
    ),
    "2faToken": shown["2faToken"],
    "2faEnrol": shown["2faEnrol"],
  })
  .meta({ id: "ReturnCodeRequest" });

/** Body of the log-in that links a provider account to a database user. */
export const linkingLogInRequest = logInRequest
  .extend({ dfUuid: z.unknown().optional().describe("The UUID that the log-in with the provider answered.") })
  .meta({ id: "LinkingLogInRequest" });

/** `data` of a provider callback for an account without a database user. */
export const unassignedResponse = z
  .object({
    dfUuid: z
      .string()
      .describe(
        "Binds the account to a database user with `POST /v1/extLogin`: once, within 15 minutes, with the same app key.",
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
        displayName: z.string().nullable().describe("As the provider said it when the account was bound."),
        email: z.string().nullable().describe("The same; never checked and never compared."),
        shared: z.boolean().describe("Whether it was bound without the user's own credentials."),
        linkedAt: z.string().describe("ISO 8601, in UTC."),
      }),
    ),
  })
  .meta({ id: "Links" });

/** `message` of a provider callback for an account without a database user. */
export const unassignedMessage = "A database user must be assigned";
