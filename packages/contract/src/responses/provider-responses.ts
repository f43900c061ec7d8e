import { z } from "zod";
import { sessionLogInResponse } from "./log-in-response.ts";

/** `data` of a provider's callback for somebody who is bound to no database user. */
export const unassignedResponse = z
  .object({
    dfUuid: z
      .string()
      .describe(
        "Binds the account to a database user with `POST /v1/extLogin`: once, within 15 minutes, with the same app key.",
      ),
  })
  .meta({ id: "UnassignedAccount" });

/** `data` of a provider's callback. */
export const providerLogInResponse = z.union([sessionLogInResponse, unassignedResponse]);

/** `data` of the list of own links. */
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

/** `message` of a provider's callback for somebody who is bound to no database user. */
export const unassignedMessage = "A database user must be assigned";
