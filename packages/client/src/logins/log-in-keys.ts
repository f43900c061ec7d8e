import { checkKeyPair, type ClientKeyPair, generateKeyPair } from "../crypto/client-key-pair.ts";
import { readServerKey } from "../crypto/read-server-key.ts";
import type { RsaKey } from "../crypto/rsa-key.ts";
import type { RsaPadding } from "../crypto/rsa-padding.ts";
import { ChannelError } from "../errors/channel-error.ts";
import { successOf } from "../transport/envelope.ts";
import type { Transport } from "../transport/transport.ts";
import type { KeyOptions } from "./log-in-options.ts";

/** The keys of both sides. */
export interface LogInKeys {
  readonly serverKey: RsaKey;
  readonly keyPair: ClientKeyPair;
}

/** How the keys for a log-in come about. */
export interface KeyNeeds extends KeyOptions {
  /** Where the server tells its key. */
  readonly path: string;
  readonly padding: RsaPadding;
}

/** Fetches and makes what was not handed in, the two at once. */
export async function logInKeys(
  transport: Transport,
  { path, padding, keyPair, ...options }: KeyNeeds,
  signal: AbortSignal,
): Promise<LogInKeys> {
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
