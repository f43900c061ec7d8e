import type { ErrorCode } from "@sallyport/storage/errors";
import * as z from "zod";
import { appNames, deviceId, later, refusedWith, secondFactorTokens } from "./fields.ts";
import { ownUserSchema } from "./objects/objects.ts";
import { eitherBody, operations } from "./operations.ts";
import { confirmChangePasswordRequest } from "./passwords.ts";

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

/** Whether a log-in opens a session for the set-up of a second factor. */
export const secondFactorEnrolment = z
  .boolean()
  .optional()
  .describe(
    "`true` opens a session that can only set up a second factor if a required one is missing, instead of error 340.",
  );

/** An unusable app name (208, 210) precedes a fault of `device` and of the members of second factors. */
const options = {
  device: later(device.optional(), { name: "device" }),
  "2faToken": later(secondFactorTokens, { name: "2faToken" }),
  "2faEnrol": later(secondFactorEnrolment, { name: "2faEnrol" }),
  furtherencryption: z
    .unknown()
    .optional()
    .describe("`false` in a secure log-in requests unencrypted traffic after the log-in. The server must allow it."),
};

/** Body of a log-in with user name and password. */
export const logInRequest = z.object({ ...credentials, ...options }).meta({ id: "LogInRequest" });

/** Precedence of the error codes of a log-in body. */
export const logInFaultOrder: readonly ErrorCode[] = [301, 209, 208, 210];

export type LogInRequest = z.input<typeof logInRequest>;

/**
 * A required text. Throws the given code if it is absent or blank. Any other JSON type is converted to its JSON text.
 * That text is not a valid key or cipher text, so later checks reject it in the usual order.
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

/** Body of a log-in. */
export const logInBody = { json: logInRequest, order: logInFaultOrder } as const;

/** Both encrypted log-ins use the same key. */
const serverKey = {
  access: "appKey",
  inMulti: false,
  description: "Returns the RSA key of the server. Fetch it over HTTPS.",
  data: serverKeyResponse,
} as const;

/** Log-in in every mode, and log-out. */
export const sessionOperations = operations("Sessions", {
  logIn: {
    method: "POST",
    path: "/v1/login",
    access: "secrets",
    summary: "Log in",
    description: "Opens a session with the credentials of a database user.",
    body: logInBody,
    data: sessionLogInResponse,
    errors: [208, 209, 210, 301, 302, 306, 315, 318, 340, 341, 342, 403, 711],
  },
  logOut: {
    method: "POST",
    path: "/v1/logout",
    access: "session",
    enrolling: true,
    effect: "endsSession",
    inMulti: false,
    summary: "Log out",
    description: "Ends the session on all servers.",
    errors: [703],
  },
  checkSession: {
    method: "GET",
    path: "/_CheckSession",
    access: "session",
    enrolling: true,
    summary: "Check the session",
    description: "Succeeds if the session is active, and extends it.",
  },
  getLogInKey: {
    method: "GET",
    path: "/v2/login/key",
    summary: "Get the key for the encrypted token log-in",
    ...serverKey,
  },
  logInWithToken: {
    method: "POST",
    path: "/v2/login",
    access: "secrets",
    summary: "Log in with a token",
    description:
      "Returns a token. A body with `aesKey` is an encrypted log-in: its response is encrypted and also contains a session id. Failures are not encrypted.",
    body: eitherBody(logInBody, { json: encryptedLogInRequest, order: secureLogInFaultOrder }, isEncryptedLogIn),
    data: tokenLogInResponse,
    answer: {
      sealed: doubleLogInResponse,
      how: "Two base64 strings separated by `|`: a new AES key, encrypted with RSA-OAEP, SHA-256 and `publicKey`, and a 16-byte IV followed by the envelope, encrypted with AES-256-CBC.",
      always: false,
    },
    errors: [205, 206, 208, 209, 210, 301, 302, 306, 309, 310, 315, 318, 340, 341, 342, 403, 711],
  },
  getSecureLogInKey: {
    method: "GET",
    path: "/v2/login/secure/key",
    summary: "Get the key for the secure log-in",
    ...serverKey,
  },
  logInSecurely: {
    method: "POST",
    path: "/v2/login/secure",
    access: "secrets",
    summary: "Log in securely",
    description: [
      "Opens a session with encrypted traffic. `credentials` contains the fields of `LogInRequest`. A message with the right password is accepted only from the same client, at most three times within a minute.",
      "Failures are not encrypted. All later request and response bodies of the session are encrypted, see `EncryptedMessage`.",
    ].join(" "),
    body: { json: secureLogInRequest, order: secureLogInFaultOrder },
    data: z.union([secureLogInResponse, sessionLogInResponse]),
    answer: {
      sealed: secureLogInResponse,
      how: "Base64 of the envelope, encrypted block by block with RSA and `publicKey`, with the padding of the request.",
      always: true,
    },
    errors: [205, 206, 208, 209, 210, 301, 302, 306, 309, 310, 315, 318, 340, 341, 342, 403, 711],
  },
});

/** Custom users: log-in and confirmation of a password change. */
export const customUserOperations = operations("Custom users", {
  logInCustomUser: {
    method: "POST",
    path: "/v1/auth/df",
    access: "secrets",
    summary: "Log in as a custom user",
    description:
      "A custom user has a name and a password, but no database account. Opens a session of the database user that the custom user is mapped to. If the hook `xRestApi_Authenticate` exists, it authenticates custom users. If the hook fails, the log-in fails with 710.",
    body: logInBody,
    data: sessionLogInResponse,
    errors: [208, 209, 210, 301, 302, 306, 315, 318, 340, 341, 342, 403, 710, 711],
  },
  confirmChangePassword: {
    method: "POST",
    path: "/v1/auth/df/confirmChangePassword",
    access: "session",
    inMulti: false,
    summary: "Confirm a password change",
    description:
      "Sets the new password of a custom user with the code that `POST /v1/changePassword` mailed, and ends all other sessions. The code is valid once, for 10 minutes and 5 attempts. A wrong code counts as a failed log-in.",
    body: { json: confirmChangePasswordRequest, order: [326] },
    errors: [326],
  },
});
