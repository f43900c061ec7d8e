import { type Channel, type Digest, LruCache, ServiceError } from "@sallyport/storage";
import { asciiBytes, asciiText, type KeyWrapping, requireWrapping } from "../../keys/index.ts";
import type { Database } from "../../request/index.ts";
import type { ChannelCipher } from "./channel-ciphers.ts";
import type { OutgoingNumbers } from "./outgoing-numbers.ts";

const cacheSize = 10_000;

/** Seals the session ids and the keys of secure sessions. A sealed text is valid in one database only. */
export class ChannelSecrets {
  /** Unwrapped channel keys by purpose and wrapped text. Every request has its key in memory anyway. */
  private readonly keys = new LruCache<string, Uint8Array>(cacheSize);

  /** @param wrapping `null` without a master key: secure sessions are unavailable. */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  /** Returns the `Secure-Token` of a session: the session id, opaque to the client. */
  sealSessionId(alias: string, sessionId: string): string {
    return requireWrapping(this.wrapping).wrap(asciiBytes(sessionId), `secure token|${alias}`);
  }

  /** Returns the session id in a `Secure-Token`, or `null` for a token that was not sealed here for this database. */
  openSessionId(alias: string, token: string): string | null {
    const bytes = this.wrapping?.unwrap(token, `secure token|${alias}`);
    return bytes === undefined ? null : asciiText(bytes);
  }

  wrapKey(alias: string, symmetricKey: Uint8Array): string {
    return requireWrapping(this.wrapping).wrap(symmetricKey, `channel key|${alias}`);
  }

  /** Returns the symmetric key of a channel. Throws 314 if it cannot be unwrapped. */
  unwrapKey(alias: string, { wrappedKey }: Channel): Uint8Array {
    const purpose = `channel key|${alias}` as const;
    // The purpose is part of the cache key, so a text copied to another database does not hit the cache.
    const name = `${purpose} ${wrappedKey}`;
    const cached = this.keys.get(name);
    if (cached !== undefined) return cached;
    const key = this.wrapping?.unwrap(wrappedKey, purpose);
    if (key === undefined)
      throw new ServiceError(314, { detail: "The session key was encrypted with another master key." });
    this.keys.set(name, key);
    return key;
  }
}

export interface OpenChannel {
  readonly key: Uint8Array;
  readonly ivPrefix: Uint8Array;
  /** Message number of the answer. Never reused. */
  readonly answerNumber: bigint;
}

/** The messages of secure sessions: keys, message numbers and cipher. */
export class ChannelTraffic {
  constructor(
    private readonly secrets: ChannelSecrets,
    private readonly numbers: OutgoingNumbers,
    private readonly cipher: ChannelCipher,
  ) {}

  /**
   * Prepares a request. Reserves the number of the answer first, so that the server can answer even if the session ends
   * during the request. Throws 314 if the key cannot be unwrapped, 203 if the session has ended.
   */
  async open({ alias, storage }: Database, session: Digest, channel: Channel): Promise<OpenChannel> {
    const key = this.secrets.unwrapKey(alias, channel);
    const answerNumber = await this.numbers.next(storage.repositories.channels, session);
    if (answerNumber === null) throw new ServiceError(203);
    return { key, ivPrefix: channel.ivPrefix, answerNumber };
  }

  /** Marks an incoming message number as used before the message is processed. Reused or too old: 312. Session ended: 203. */
  async accept({ storage }: Database, session: Digest, number: bigint): Promise<void> {
    const verdict = await storage.repositories.channels.acceptIn(session, number);
    if (verdict === "gone") throw new ServiceError(203);
    if (verdict !== "fresh") throw new ServiceError(312, { detail: `The message number is ${verdict}.` });
  }

  /** Encrypts or decrypts a message. `counterBlock` is its initial counter block. */
  apply({ key }: OpenChannel, counterBlock: Uint8Array, message: Uint8Array): Uint8Array {
    return this.cipher.apply(key, counterBlock, message);
  }

  /** Encrypts or decrypts a message as a stream, in constant memory. */
  applyToStream(
    { key }: OpenChannel,
    counterBlock: Uint8Array,
    message: AsyncIterable<Uint8Array>,
  ): AsyncIterable<Uint8Array> {
    return this.cipher.applyToStream(key, counterBlock, message);
  }
}
