import type { ObjectData } from "@sallyport/contract";
import { headerNames } from "@sallyport/contract/header-names";
import { decodeBase64, encodeBase64, lenientBase64 } from "@sallyport/contract/secure";
import { openHybrid, sealHybrid } from "./crypto/hybrid-message.ts";
import {
  checkKeyPair,
  type ClientKeyPair,
  decryptBlocks,
  encryptBlocks,
  generateKeyPair,
  publicKeyText,
  readServerKey,
  type RsaKey,
  type RsaPadding,
} from "./crypto/rsa.ts";
import { sentPassword } from "./crypto/sent-password.ts";
import { ChannelError, TransportError } from "./errors.ts";
import type {
  EncryptedLogInOptions,
  KeyOptions,
  LogInFields,
  LogInOptions,
  PlainLogInOptions,
  SecureLogInOptions,
} from "./options.ts";
import { type ClientSession, HeaderSession, type LogInMode } from "./sessions/client-session.ts";
import { ChannelCipher, SecureSession } from "./sessions/secure-session.ts";
import { codeOf, successOf } from "./transport/envelope.ts";
import type { IncomingMessage, Transport } from "./transport/transport.ts";

/** The logged-in user and the database. */
export interface LogInResult {
  readonly mode: LogInMode;
  /** The user's own object. */
  readonly user: ObjectData;
  readonly databaseName: string;
}

/** A successful log-in. */
export interface OpenedSession {
  readonly session: ClientSession;
  readonly result: LogInResult;
}

export async function openSession(
  transport: Transport,
  options: LogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  switch (options.mode) {
    case "session":
      return logInWithSessionId(transport, options, signal);
    case "token":
      return logInWithToken(transport, options, signal);
    case "encrypted":
      return logInEncrypted(transport, options, signal);
    case "secure":
      return logInSecurely(transport, options, signal);
    default:
      throw new TypeError("`mode` must be session, token, encrypted or secure.");
  }
}

/** The common part of all log-in responses. */
interface LogInData {
  readonly user: ObjectData;
  readonly databaseName: string;
}

type SessionData = LogInData & { readonly sessionId: string };

/** Session-id mode: `POST /v1/login` or another log-in endpoint, then the header `sessionId`. */
async function logInWithSessionId(
  transport: Transport,
  options: PlainLogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const { path = "/v1/login", fields, answered } = options.endpoint ?? {};
  const data =
    (answered as SessionData | undefined) ??
    (await postPlainLogIn<SessionData>(transport, path, logInBody(options, fields), signal));
  return openedSession(new HeaderSession("session", headerNames.sessionId, credentialOf(data.sessionId)), data);
}

/** Token mode: `POST /v2/login`, then the header `Authorization`. */
async function logInWithToken(
  transport: Transport,
  options: PlainLogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const data = await postPlainLogIn<LogInData & { token: string }>(transport, "/v2/login", logInBody(options), signal);
  return openedSession(
    new HeaderSession("token", headerNames.authorization, `Bearer ${credentialOf(data.token)}`),
    data,
  );
}

/** Token mode with an encrypted log-in: AES-256-CBC with RSA-encrypted keys, in both directions. */
async function logInEncrypted(
  transport: Transport,
  options: EncryptedLogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const { serverKey, keyPair } = await logInKeys(
    transport,
    { ...options, path: "/v2/login/key", padding: "OAEP-SHA-256" },
    signal,
  );
  const sealed = await sealHybrid(serverKey, new TextEncoder().encode(logInBody(options)));
  const body = JSON.stringify({ ...sealed, publicKey: await publicKeyText(keyPair) });
  const answer = await postLogIn(transport, "/v2/login", body, signal);
  const data = await decryptedAnswer(answer, (text) => openHybrid(keyPair.privateKey, text));
  const { token, ...common } = data as LogInData & { token: string };
  return openedSession(
    new HeaderSession("encrypted", headerNames.authorization, `Bearer ${credentialOf(token)}`),
    common,
  );
}

interface SecureData extends LogInData {
  /** Sent unchanged as `Secure-Token`. */
  readonly sessionId: string;
  readonly symmetricKey: string;
  readonly ivPrefix: string;
}

/** Secure mode: the log-in is RSA-encrypted, later traffic is AES-256-CTR with the session key. */
async function logInSecurely(
  transport: Transport,
  options: SecureLogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const { padding = "OAEP-SHA-256" } = options;
  const { serverKey, keyPair } = await logInKeys(
    transport,
    { ...options, path: "/v2/login/secure/key", padding },
    signal,
  );
  const credentials = encodeBase64(
    await encryptBlocks(serverKey, padding, new TextEncoder().encode(logInBody(options))),
  );
  const body = JSON.stringify({ credentials, publicKey: await publicKeyText(keyPair) });
  const answer = await postLogIn(transport, "/v2/login/secure", body, signal);
  const data = await decryptedAnswer(answer, async (text) => {
    const cipher = lenientBase64(text);
    return cipher && decryptBlocks(keyPair.privateKey, cipher);
  });
  const { sessionId, symmetricKey, ivPrefix, ...common } = data as SecureData;
  const key = bytesOf(symmetricKey, 32);
  const parts = {
    secureToken: credentialOf(sessionId),
    ivPrefix: bytesOf(ivPrefix, 3),
    cipher: await ChannelCipher.create(key),
  };
  return openedSession(new SecureSession(parts), common);
}

/** Decodes a base64 member of an expected length. */
function bytesOf(text: unknown, length: number): Uint8Array<ArrayBuffer> {
  const bytes = typeof text === "string" ? decodeBase64(text) : undefined;
  if (bytes?.length !== length) throw new ChannelError("log-in-answer");
  return new Uint8Array(bytes);
}

function openedSession(session: ClientSession, { user, databaseName }: LogInData): OpenedSession {
  return { session, result: { mode: session.mode, user, databaseName } };
}

/** A credential of a response. A response without it is not from this service. */
function credentialOf(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new TransportError("foreign-answer", { httpStatus: 200 });
  return value;
}

/** Fetches and generates missing keys in parallel. `path` is the route of the server's key. */
async function logInKeys(
  transport: Transport,
  { path, padding, keyPair, ...options }: KeyOptions & { readonly path: string; readonly padding: RsaPadding },
  signal: AbortSignal,
): Promise<{ readonly serverKey: RsaKey; readonly keyPair: ClientKeyPair }> {
  if (keyPair !== undefined) checkKeyPair(keyPair, padding);
  const pem = serverKeyText(transport, path, options, signal);
  const [serverKey, pair] = await Promise.all([
    pem.then((text) => readServerKey(text, padding)),
    keyPair ?? generateKeyPair(padding),
  ]);
  return { serverKey, keyPair: pair };
}

async function serverKeyText(
  transport: Transport,
  path: string,
  options: KeyOptions,
  signal: AbortSignal,
): Promise<string> {
  const { serverKey, allowUnprotectedKey = false } = options;
  if (serverKey !== undefined) return serverKey;
  if (!transport.address.isProtected && !allowUnprotectedKey) throw new ChannelError("unprotected-key");
  const answer = await transport.send({ method: "GET", path }, { headers: {} }, signal);
  return String(successOf<{ key: string }>(answer).data.key);
}

function logInBody(
  { user, password, passwordHash, appNames, device, twoFactorToken, enrolling }: LogInFields,
  more?: object,
): string {
  const pass = sentPassword(password, passwordHash);
  return JSON.stringify({ user, pass, appNames, device, "2faToken": twoFactorToken, "2faEnrol": enrolling, ...more });
}

const jsonHeaders = { "content-type": "application/json" };

/** Sends a log-in and returns the raw response. */
function postLogIn(transport: Transport, path: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  return transport.send({ method: "POST", path }, { headers: jsonHeaders, body }, signal);
}

/** Sends a log-in with an unencrypted response. */
async function postPlainLogIn<Data>(
  transport: Transport,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<Data> {
  return successOf<Data>(await postLogIn(transport, path, body, signal)).data;
}

/**
 * The payload of an encrypted log-in response. Refusals are not encrypted. `decrypt` returns `undefined` on failure.
 */
async function decryptedAnswer(
  answer: IncomingMessage,
  decrypt: (text: string) => Promise<Uint8Array | undefined>,
): Promise<unknown> {
  const code = codeOf(answer);
  if (code === 0) throw new ChannelError("clear-answer");
  // A refusal, or the error page of a proxy: `successOf` throws for both.
  if (code !== undefined || answer.status !== 200) return successOf(answer).data;
  const body = await decrypt(new TextDecoder().decode(answer.body));
  if (body === undefined) throw new ChannelError("log-in-answer");
  return successOf({ ...answer, body }).data;
}
