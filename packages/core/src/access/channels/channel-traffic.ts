import type { Digest } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { Database } from "../../request/index.ts";
import type { Channel } from "../../storage/index.ts";
import type { ChannelCipher } from "./channel-ciphers.ts";
import type { ChannelSecrets } from "./channel-secrets.ts";
import type { OutgoingNumbers } from "./outgoing-numbers.ts";

/** What one request of a secure session works with. */
export interface OpenChannel {
  readonly key: Uint8Array;
  readonly ivPrefix: Uint8Array;
  /** The number of the answer; given to nobody else. */
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
   * Makes ready for a request. The number of the answer is reserved at once, so that whatever becomes of the request, even
   * the end of its session, can be answered. 314 if the key cannot be unwrapped, 203 if the session ends meanwhile.
   */
  async open({ alias, storage }: Database, session: Digest, channel: Channel): Promise<OpenChannel> {
    const key = this.secrets.unwrapKey(alias, channel);
    const answerNumber = await this.numbers.next(storage.repositories.channels, session);
    if (answerNumber === null) throw new ServiceError(203);
    return { key, ivPrefix: channel.ivPrefix, answerNumber };
  }

  /**
   * Takes the number of a message for used, before anything is told about the message: so nobody can try several texts
   * under one number. 312 if it was used before or is too old.
   */
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
