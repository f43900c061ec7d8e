import { constants, publicEncrypt, type RsaPrivateKey } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnswerCipher, ClientKey, RsaPadding } from "@sallyport/core";
import { clientKeyObject } from "./client-key-object.ts";

interface Padding {
  /** Bytes of a block that the padding takes. */
  readonly overhead: number;
  readonly options: Pick<RsaPrivateKey, "padding" | "oaepHash">;
}

const paddings: Readonly<Record<RsaPadding, Padding>> = {
  "OAEP-SHA-256": { overhead: 66, options: { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" } },
  "OAEP-SHA-1": { overhead: 42, options: { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" } },
  "PKCS1-v1_5": { overhead: 11, options: { padding: constants.RSA_PKCS1_PADDING } },
};

/** A public operation with 4096 bits takes a few hundred microseconds. */
const blocksPerTurn = 8;

/** RSA by OpenSSL; the public operation is quick enough for the event loop, a few at a time. */
export class RsaAnswerCipher implements AnswerCipher {
  async seal(client: ClientKey, padding: RsaPadding, plain: Uint8Array): Promise<string> {
    const { overhead, options } = paddings[padding];
    const key = { key: clientKeyObject(client), ...options };
    const capacity = Math.ceil(client.bits / 8) - overhead;
    const blocks: Buffer[] = [];
    do {
      const start = blocks.length * capacity;
      if (blocks.length > 0 && blocks.length % blocksPerTurn === 0) await nextTurn();
      blocks.push(publicEncrypt(key, plain.subarray(start, start + capacity)));
    } while (blocks.length * capacity < plain.length);
    return Buffer.concat(blocks).toString("base64");
  }
}
