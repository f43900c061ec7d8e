import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { appNames, deviceId, refusedWith, secondFactorTokens } from "./fields.ts";
import { ownUserSchema } from "./objects.ts";

const maxCredentialLength = 1_024;

const isBlank = (text: string) => text.trim() === "";

const credential = z
  .string(refusedWith(301))
  .max(maxCredentialLength, refusedWith(301))
  .refine((text) => !isBlank(text), refusedWith(301));

const device = z
  .object({
    deviceId,
    device: z.string().optional(),
    systemVersion: z.string().optional(),
    deviceType: z.string().optional(),
    systemType: z.string().optional(),
  })
  .catchall(z.string().optional());

const credentials = {
  user: credential.describe("User name, case-sensitive."),
  pass: credential.describe(
    "MD5 digest of the password in lowercase hexadecimal, or the password itself, as `passwords.clientHash` of the server configuration requires.",
  ),
  appNames,
};

const options = {
  device: device.optional(),
  "2faToken": secondFactorTokens,
  "2faEnrol": z
    .boolean()
    .optional()
    .describe(
      "`true` opens a session that can only set up a second factor if a required one is missing, instead of error 340.",
    ),
  furtherencryption: z
    .unknown()
    .optional()
    .describe("`false` in a secure log-in requests unencrypted traffic after the log-in. The server must allow it."),
};

/** Body of a log-in with user name and password. */
export const logInRequest = z.object({ ...credentials, ...options }).meta({ id: "LogInRequest" });

/** The log-in members to validate first. Other members are kept unchanged. */
export const logInCredentials = z.looseObject(credentials);

/** The optional members of a log-in. */
export const logInOptions = z.object(options);

/** Precedence of the error codes of a log-in body. */
export const logInFaultOrder: readonly ErrorCode[] = [301, 209, 208, 210];

export type LogInRequest = z.input<typeof logInRequest>;

/**
 * A required text. Throws the given code if it is absent or blank. Any other JSON type is converted to its JSON text.
 * That text is no valid key or cipher text, so later checks reject it in the usual order.
 */
function neededText(missing: ErrorCode) {
  return z.preprocess(
    (value) => (value === undefined || value === null || typeof value === "string" ? value : JSON.stringify(value)),
    z.string(refusedWith(missing)).refine((text) => text.trim() !== "", refusedWith(missing)),
  );
}

const publicKey = neededText(205).describe(
  "RSA public key of the client: PEM, base64 of the PEM, or base64 of the DER.",
);

/** Accepts the spelling `publickey`, which some clients send. */
function withPublicKey(body: unknown): unknown {
  if (
    typeof body !== "object" ||
    body === null ||
    Object.hasOwn(body, "publicKey") ||
    !Object.hasOwn(body, "publickey")
  )
    return body;
  const { publickey, ...rest } = body as Record<string, unknown>;
  return { ...rest, publicKey: publickey };
}

/** Body of `POST /v2/login/secure`. */
export const secureLogInRequest = z
  .preprocess(
    withPublicKey,
    z.object({
      publicKey,
      credentials: neededText(206).describe(
        "Base64 of the log-in fields as JSON, encrypted block by block with the RSA key of the server.",
      ),
    }),
  )
  .meta({ id: "SecureLogInRequest" });

/** Encrypted body of `POST /v2/login`. */
export const encryptedLogInRequest = z
  .preprocess(
    withPublicKey,
    z.object({
      publicKey,
      aesKey: neededText(206).describe(
        "Base64 of a random 32-byte AES key, encrypted with RSA-OAEP, SHA-256 and the key of the server.",
      ),
      data: neededText(206).describe(
        "Base64 of a 16-byte IV followed by the log-in fields as JSON, encrypted with AES-256-CBC.",
      ),
    }),
  )
  .meta({ id: "EncryptedLogInRequest" });

/** Precedence of the error codes of the encrypted log-in bodies. */
export const secureLogInFaultOrder: readonly ErrorCode[] = [205, 206];

/** Whether a body is encrypted: it has `aesKey`, or another encrypted member and no plain credentials. */
export function isEncryptedLogIn(body: Readonly<Record<string, unknown>>): boolean {
  const has = (...names: string[]) => names.some((name) => Object.hasOwn(body, name));
  return has("aesKey") || (has("data", "publicKey", "publickey") && !has("user", "pass"));
}

/** `data` of a log-in in session-id mode. */
export const sessionLogInResponse = z
  .object({
    sessionId: z.string().describe("Session id. Send it in the header `sessionId` of every request."),
    user: ownUserSchema,
    databaseName: z.string(),
  })
  .meta({ id: "SessionLogIn" });

const token = z
  .string()
  .describe("JWT. Send it in the header `Authorization` of every request, with or without the prefix `Bearer`.");

/** `data` of a log-in in token mode. */
export const tokenLogInResponse = z
  .object({ user: ownUserSchema, token, databaseName: z.string() })
  .meta({ id: "TokenLogIn" });

/** `data` of a token-mode log-in with an encrypted body. The response is encrypted too. */
export const doubleLogInResponse = sessionLogInResponse.extend({ token }).meta({ id: "EncryptedLogIn" });

/** `data` of a secure log-in, inside the encrypted response. */
export const secureLogInResponse = sessionLogInResponse
  .extend({
    sessionId: z.string().describe("Session id. Send it unchanged in the header `Secure-Token` of every request."),
    symmetricKey: z.string().describe("Base64 of the 32-byte AES-256-CTR key of the session."),
    ivPrefix: z.string().describe("Base64 of the 3-byte prefix of every counter block of the session."),
  })
  .meta({ id: "SecureLogIn" });

/** `data` of the response with the server's RSA key. */
export const serverKeyResponse = z
  .object({
    key: z.string().describe("RSA public key as PEM with CR LF line breaks."),
    keyId: z.string().describe("Thumbprint of the key (RFC 7638)."),
    paddings: z.array(z.string()).describe("Accepted paddings of the credentials."),
  })
  .meta({ id: "ServerKey" });
