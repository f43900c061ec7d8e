import { createCipheriv, randomBytes } from "node:crypto";
import {
  buildCounterBlock,
  directions,
  formatEncryptedHeader,
  parseCounterBlock,
  parseEncryptedHeader,
} from "@sallyport/contract/secure";

/** The server's end of a secure session, with OpenSSL. */
export class FakeChannel {
  readonly key = randomBytes(32);
  readonly ivPrefix = randomBytes(3);
  /** Message numbers of the client, in the order of their arrival. */
  readonly received: bigint[] = [];
  next = 0n;

  /** The contents of a request; `undefined` if it is not a valid message of this session. */
  open(header: string | null, body: Uint8Array, isText: boolean): Uint8Array | undefined {
    const iv = parseEncryptedHeader(header ?? "")?.iv;
    const counter = iv && parseCounterBlock(iv);
    if (iv === undefined || counter === undefined) return undefined;
    const { direction, ivPrefix, message, block } = counter;
    if (
      direction !== directions.toServer ||
      !this.ivPrefix.equals(ivPrefix) ||
      block !== 0 ||
      this.received.includes(message)
    )
      return undefined;
    this.received.push(message);
    return this.apply(iv, isText ? Buffer.from(Buffer.from(body).toString("latin1"), "base64") : body);
  }

  /** An answer: as base64, or for a file as bare bytes. */
  seal(
    plain: Uint8Array,
    { asText = true, ...parts }: { asText?: boolean } & Partial<Parameters<typeof buildCounterBlock>[0]> = {},
  ): {
    body: Uint8Array;
    headers: Record<string, string>;
  } {
    const message = parts.message ?? this.next;
    if (parts.message === undefined) this.next += 1n;
    const iv = buildCounterBlock({
      direction: directions.toClient,
      ivPrefix: this.ivPrefix,
      message,
      block: 0,
      ...parts,
    });
    const cipher = this.apply(iv, plain);
    const type = asText ? { "content-type": "application/text; charset=utf-8" } : {};
    return {
      body: asText ? Buffer.from(cipher.toString("base64"), "latin1") : cipher,
      headers: { encrypted: formatEncryptedHeader({ iv }), ...type },
    };
  }

  apply(iv: Uint8Array, bytes: Uint8Array): Buffer {
    return createCipheriv("aes-256-ctr", this.key, iv).update(bytes);
  }
}
