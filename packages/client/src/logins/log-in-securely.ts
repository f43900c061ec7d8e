import { decodeBase64 } from "@sallyport/contract/secure";
import { ChannelCipher } from "../channel/channel-cipher.ts";
import { base64ToBody, bodyToBase64 } from "../crypto/body-base64.ts";
import { publicKeyText } from "../crypto/client-key-pair.ts";
import { decryptBlocks, encryptBlocks } from "../crypto/rsa-blocks.ts";
import { ChannelError } from "../errors/channel-error.ts";
import { SecureSession } from "../sessions/secure-session.ts";
import type { Transport } from "../transport/transport.ts";
import { decryptedAnswer } from "./decrypted-answer.ts";
import { logInBody } from "./log-in-body.ts";
import { logInKeys } from "./log-in-keys.ts";
import type { SecureLogInOptions } from "./log-in-options.ts";
import { credentialOf, type LogInData, type OpenedSession, openedSession } from "./log-in-result.ts";
import { postLogIn } from "./post-log-in.ts";

interface SecureData extends LogInData {
  /** To be sent unchanged as `Secure-Token`. */
  readonly sessionId: string;
  readonly symmetricKey: string;
  readonly ivPrefix: string;
}

/** Secure mode: credentials and answer in RSA blocks, and from then on AES-256-CTR with the key of the session. */
export async function logInSecurely(
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
  const credentials = bodyToBase64(
    await encryptBlocks(serverKey, padding, new TextEncoder().encode(logInBody(options))),
  );
  const body = JSON.stringify({ credentials, publicKey: await publicKeyText(keyPair) });
  const answer = await postLogIn(transport, "/v2/login/secure", body, signal);
  const data = await decryptedAnswer(answer, async (text) => {
    const cipher = base64ToBody(text);
    return cipher && decryptBlocks(keyPair.privateKey, cipher);
  });
  return secureSession(data as SecureData);
}

async function secureSession({ sessionId, symmetricKey, ivPrefix, ...common }: SecureData): Promise<OpenedSession> {
  const key = bytesOf(symmetricKey, 32);
  const parts = {
    secureToken: credentialOf(sessionId),
    ivPrefix: bytesOf(ivPrefix, 3),
    cipher: await ChannelCipher.create(key),
  };
  return openedSession(new SecureSession(parts), common);
}

/** The bytes behind a member that must be base64 of so many. */
function bytesOf(text: unknown, length: number): Uint8Array<ArrayBuffer> {
  const bytes = typeof text === "string" ? decodeBase64(text) : undefined;
  if (bytes?.length !== length) throw new ChannelError("log-in-answer");
  return new Uint8Array(bytes);
}
