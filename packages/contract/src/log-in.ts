import type { ErrorCode } from "@sallyport/core/errors";
import * as z from "zod";
import { deviceId, maxTokenLength, maxAppNames, refusedWith } from "./fields.ts";
import { ownUserSchema } from "./objects.ts";

const maxCredentialLength = 1_024;

const isBlank = (text: string) => text.trim() === "";

const credential = z
  .string(refusedWith(301))
  .max(maxCredentialLength, refusedWith(301))
  .refine((text) => !isBlank(text), refusedWith(301));

const appName = z.string(refusedWith(208)).refine((text) => !isBlank(text), refusedWith(208));

const device = z
  .object({
    deviceId,
    device: z.string().optional(),
    systemVersion: z.string().optional(),
    deviceType: z.string().optional(),
    systemType: z.string().optional(),
  })
  .catchall(z.string());

const credentials = {
  user: credential.describe("User name, compared exactly."),
  pass: credential.describe("The MD5 of the password in lower-case hexadecimal digits, or the password itself."),
  appNames: z
    .union([appName, z.array(appName).min(1, refusedWith(208)).max(maxAppNames, refusedWith(208))], {
      error: ({ input }) => (input === undefined ? "209" : "208"),
    })
    .transform((names) => (typeof names === "string" ? [names] : names))
    .describe("App names; a single text counts as one name."),
};

const options = {
  device: device.optional(),
  "2faToken": z
    .string()
    .max(maxTokenLength)
    .optional()
    .describe(
      "Token of the second factor, or a recovery code; several app names that ask for one each take theirs with commas between them. Empty counts as absent.",
    ),
  "2faEnrol": z
    .boolean()
    .optional()
    .describe(
      "`true` asks for a session that is good for setting up a second factor alone, if one is demanded that is not there; instead of 340.",
    ),
  furtherencryption: z
    .unknown()
    .optional()
    .describe("In a secure log-in `false` asks for plain traffic afterwards, where the server allows it."),
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

const publicKey = neededText(205).describe("The client's RSA public key: PEM, or base64 of the PEM or of the DER.");

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
        "Base64 of the log-in fields as JSON, encrypted block by block with the server's RSA key.",
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
        "Base64 of 32 random bytes, encrypted by RSA-OAEP with SHA-256 and the server's key.",
      ),
      data: neededText(206).describe("Base64 of a 16-byte IV and the log-in fields as JSON, encrypted by AES-256-CBC."),
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

/** `data` of a token-mode log-in with an encrypted body. The response is encrypted too. */
export const doubleLogInResponse = sessionLogInResponse.extend({ token }).meta({ id: "EncryptedLogIn" });

/** `data` of a secure log-in, inside the encrypted response. */
export const secureLogInResponse = sessionLogInResponse
  .extend({
    sessionId: z.string().describe("Sent unchanged as the header `Secure-Token` with every further request."),
    symmetricKey: z.string().describe("Base64 of 32 bytes: the key of AES-256-CTR for all further traffic."),
    ivPrefix: z.string().describe("Base64 of 3 bytes that every counter block holds."),
  })
  .meta({ id: "SecureLogIn" });

/** `data` of the response with the server's RSA key. */
export const serverKeyResponse = z
  .object({
    key: z.string().describe("PEM with CR LF line breaks."),
    keyId: z.string().describe("Thumbprint of the key (RFC 7638)."),
    paddings: z.array(z.string()).describe("How credentials may be padded."),
  })
  .meta({ id: "ServerKey" });
