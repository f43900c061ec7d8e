import { z } from "zod";
import { ownUserSchema } from "./object-schemas.ts";

/** `data` of a log-in in session-id mode. */
export const sessionLogInResponse = z
  .object({
    sessionId: z.string().describe("Sent as the header `sessionId` with every further request."),
    user: ownUserSchema,
    databaseName: z.string(),
  })
  .meta({ id: "SessionLogIn" });

const token = z
  .string()
  .describe("A JWT, sent as the header `Authorization` with every further request, bare or after `Bearer`.");

/** `data` of a log-in in token mode. */
export const tokenLogInResponse = z
  .object({ user: ownUserSchema, token, databaseName: z.string() })
  .meta({ id: "TokenLogIn" });

/** `data` of a log-in in token mode whose body came encrypted; the answer is encrypted, too. */
export const doubleLogInResponse = sessionLogInResponse.extend({ token }).meta({ id: "EncryptedLogIn" });

/** `data` of a secure log-in, inside of the encrypted answer. */
export const secureLogInResponse = sessionLogInResponse
  .extend({
    sessionId: z.string().describe("Sent unchanged as the header `Secure-Token` with every further request."),
    symmetricKey: z.string().describe("Base64 of 32 bytes: the key of AES-256-CTR for all further traffic."),
    ivPrefix: z.string().describe("Base64 of 3 bytes that every counter block holds."),
  })
  .meta({ id: "SecureLogIn" });

/** `data` of the request for the server's RSA key. */
export const serverKeyResponse = z
  .object({
    key: z.string().describe("PEM with CR LF line breaks."),
    keyId: z.string().describe("Thumbprint of the key (RFC 7638)."),
    paddings: z.array(z.string()).describe("How credentials may be padded."),
  })
  .meta({ id: "ServerKey" });
