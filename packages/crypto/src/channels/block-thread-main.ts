import { constants, type KeyObject, privateDecrypt } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { RsaPadding } from "@sallyport/core";
import { select, type Unpadded, unpadOaep, unpadPkcs1 } from "./unpadding.ts";

// Thread for private RSA operations. Node's thread pool offers no asynchronous raw RSA operation.

if (parentPort === null) throw new Error("this module runs as a worker thread");
const port = parentPort;
port.on("message", ({ bytes, keys }: BlockRequest) => port.postMessage(replyTo(bytes, keys), []));

function replyTo(bytes: BlockRequest["bytes"], keys: BlockRequest["keys"]): BlockReply {
  try {
    const startedAt = performance.now();
    const opened = openBlocks(bytes, keys);
    return { opened, milliseconds: performance.now() - startedAt };
  } catch (error) {
    return { failed: String(error) };
  }
}

/** A request to the thread. Replies come in the order of the requests. */
export interface BlockRequest {
  readonly bytes: Uint8Array;
  readonly keys: readonly BlockKey[];
}

export type BlockReply =
  | {
      readonly opened: OpenedBlocks | undefined;
      /** Duration of the operations. */
      readonly milliseconds: number;
    }
  | { readonly failed: string };

/** A private key and its derived values, in a form that can be posted to another thread. */
export interface BlockKey {
  readonly key: KeyObject;
  /** Big-endian, as long as a block. */
  readonly modulus: Uint8Array;
  /** See `unpadPkcs1`. */
  readonly rejectionKey: KeyObject;
}

export interface OpenedBlocks {
  /** Index of the key that opened the blocks. */
  readonly keyIndex: number;
  readonly padding: RsaPadding;
  readonly plain: Uint8Array;
}

/** All blocks opened with one key, in each padding. */
interface Attempt {
  /** Whether all blocks are smaller than the modulus. This is public information. */
  readonly possible: boolean;
  readonly oaep256: Unpadded;
  readonly oaep1: Unpadded;
  readonly pkcs1: Unpadded;
}

/**
 * Opens cipher blocks with the one key and padding that fit all of them. The input is a whole number of blocks for each
 * key. Every block costs one private operation per key and all three unpaddings. Without a valid OAEP padding, the
 * result is PKCS#1 v1.5, pseudo-random if that is invalid too. `undefined` only if no key is possible.
 */
function openBlocks(bytes: Uint8Array, keys: readonly BlockKey[]): OpenedBlocks | undefined {
  const attempts = keys.map((key) => attempt(bytes, key));
  for (const [keyIndex, { oaep256, oaep1 }] of attempts.entries()) {
    if (oaep256.good) return { keyIndex, padding: "OAEP-SHA-256", plain: oaep256.message };
    if (oaep1.good) return { keyIndex, padding: "OAEP-SHA-1", plain: oaep1.message };
  }
  let keyIndex = attempts.findIndex(({ possible }) => possible);
  for (const [index, { pkcs1 }] of attempts.entries()) keyIndex = select(pkcs1.good, index, keyIndex);
  const chosen = attempts[keyIndex];
  return chosen && { keyIndex, padding: "PKCS1-v1_5", plain: chosen.pkcs1.message };
}

function attempt(bytes: Uint8Array, { key, modulus, rejectionKey }: BlockKey): Attempt {
  const size = modulus.length;
  let possible = true;
  const blocks = Array.from({ length: bytes.length / size }, (_, index) => {
    const block = bytes.slice(index * size, (index + 1) * size);
    if (Buffer.compare(block, modulus) >= 0) {
      possible = false;
      block[0] = 0;
    }
    const raw = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
    return {
      oaep256: unpadOaep(raw, "sha256"),
      oaep1: unpadOaep(raw, "sha1"),
      pkcs1: unpadPkcs1(raw, block, rejectionKey),
    };
  });
  const allowed = possible ? -1 : 0;
  const joined = (padding: keyof (typeof blocks)[number]) =>
    join(
      blocks.map((block) => block[padding]),
      allowed,
    );
  return { possible, oaep256: joined("oaep256"), oaep1: joined("oaep1"), pkcs1: joined("pkcs1") };
}

function join(blocks: readonly Unpadded[], allowed: number): Unpadded {
  return {
    good: blocks.reduce((all, { good }) => all & good, allowed),
    // A slice of Node's buffer pool would post a copy of the whole pool, with unrelated data.
    message: new Uint8Array(Buffer.concat(blocks.map(({ message }) => message))),
  };
}
