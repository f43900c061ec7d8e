import { type Digest, Recent } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { asciiBytes, asciiText, type KeyWrapping, requireWrapping } from "../../keys/index.ts";
import type { Database } from "../../request/index.ts";
import type { Channel } from "../../storage/index.ts";
import type { ChannelCipher } from "./channel-ciphers.ts";
import type { OutgoingNumbers } from "./outgoing-numbers.ts";

const cacheSize = 10_000;

/** Seals what a secure session hands out and stores; good for the one database only. */
export class ChannelSecrets {
  /** Keys of channels by what they are wrapped for and their wrapped text; they are in memory with every request anyway. */
  private readonly keys = new Recent<string, Uint8Array>(cacheSize);

  /** @param wrapping `null` without a master key: then there are no secure sessions. */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  /** The `Secure-Token` of a session: its id, opaque to the client. */
  sealSessionId(alias: string, sessionId: string): string {
    return requireWrapping(this.wrapping).wrap(asciiBytes(sessionId), `secure token|${alias}`);
  }

  /** The session id in a `Secure-Token`; `null` for whatever this server did not seal for this database. */
  openSessionId(alias: string, token: string): string | null {
    const bytes = this.wrapping?.unwrap(token, `secure token|${alias}`);
    return bytes === undefined ? null : asciiText(bytes);
  }

  wrapKey(alias: string, symmetricKey: Uint8Array): string {
    return requireWrapping(this.wrapping).wrap(symmetricKey, `channel key|${alias}`);
  }

  /** The symmetric key of a channel; 314 when it cannot be unwrapped. */
  unwrapKey(alias: string, { wrappedKey }: Channel): Uint8Array {
    const purpose = `channel key|${alias}`;
    // Another database could be made to hold the same text, and there it is worth nothing.
    const name = `${purpose} ${wrappedKey}`;
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    const key = this.wrapping?.unwrap(wrappedKey, purpose);
    if (key === undefined)
      throw new ServiceError(314, { detail: "The key of the session was wrapped under another master key." });
    this.keys.set(name, key);
    return key;
  }
}

export interface OpenChannel {
  readonly key: Uint8Array;
  readonly ivPrefix: Uint8Array;
  /** The number of the answer, given only once. */
  readonly answerNumber: bigint;
}

/** The messages of secure sessions: their keys, their numbers, and the cipher over them. */
export class ChannelTraffic {
  constructor(
    private readonly secrets: ChannelSecrets,
    private readonly numbers: OutgoingNumbers,
    private readonly cipher: ChannelCipher,
  ) {}

  /**
   * Makes ready for a request. The number of the answer is reserved at once, so that however the request ends, even
   * the end of its session, can be answered. 314 if the key cannot be unwrapped, 203 if the session ends meanwhile.
   */
  async open({ alias, storage }: Database, session: Digest, channel: Channel): Promise<OpenChannel> {
    const key = this.secrets.unwrapKey(alias, channel);
    const answerNumber = await this.numbers.next(storage.repositories.channels, session);
    if (answerNumber === null) throw new ServiceError(203);
    return { key, ivPrefix: channel.ivPrefix, answerNumber };
  }

  /** Takes a number for used before anything is told of the message: one try a number. 312: used before, or too old. */
  async accept({ storage }: Database, session: Digest, number: bigint): Promise<void> {
    const verdict = await storage.repositories.channels.acceptIn(session, number);
    if (verdict === "gone") throw new ServiceError(203);
    if (verdict !== "fresh") throw new ServiceError(312, { detail: `The message number is ${verdict}.` });
  }

  /** Encrypts or decrypts a message that begins with this counter block. */
  apply({ key }: OpenChannel, counterBlock: Uint8Array, message: Uint8Array): Uint8Array {
    return this.cipher.apply(key, counterBlock, message);
  }
}
