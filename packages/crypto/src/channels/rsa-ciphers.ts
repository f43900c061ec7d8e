import { constants, createPrivateKey, createSecretKey, hash, publicEncrypt, type RsaPrivateKey } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Digest } from "@sallyport/storage";
import type {
  AnswerCipher,
  ClientKey,
  CredentialsCipher,
  OpenedCredentials,
  RsaPadding,
  ServerKeyPair,
  Spent,
} from "@sallyport/core";
import { memoizeByKey } from "../digests-and-random.ts";
import { strictBase64 } from "../strict-base64.ts";
import type { BlockKey } from "./block-thread-main.ts";
import { BlockThreads, type BlockThreadsOptions } from "./block-threads.ts";
import { clientKeyObject } from "./client-keys.ts";

export interface RsaCredentialsCipherOptions extends BlockThreadsOptions {
  /** Whether PKCS#1 v1.5 is accepted. Default: true. A refusal costs the same work. */
  readonly legacyPkcs1?: boolean;
}

const maxBlocks = 16;
const maxBlockLength = 512;
const maxTextLength = Math.ceil((maxBlocks * maxBlockLength) / 3) * 4;

/** Raw RSA with OpenSSL, in its own threads. This package removes the padding. */
export class RsaCredentialsCipher implements CredentialsCipher {
  readonly #threads: BlockThreads;
  readonly #legacyPkcs1: boolean;

  constructor({ legacyPkcs1 = true, ...threads }: RsaCredentialsCipherOptions = {}) {
    this.#legacyPkcs1 = legacyPkcs1;
    this.#threads = new BlockThreads(threads);
  }

  /** Messages that are decrypted at once. */
  get concurrency(): number {
    return this.#threads.concurrency;
  }

  async open(
    credentials: string,
    accepted: readonly ServerKeyPair[],
    spent?: Spent,
  ): Promise<OpenedCredentials | undefined> {
    const bytes = credentials.length > maxTextLength ? undefined : strictBase64(credentials, "base64");
    if (bytes === undefined || bytes.length === 0) return undefined;
    const candidates = accepted
      .filter(({ kind }) => kind === "rsa")
      .map((pair) => ({ keyId: pair.keyId, blockKey: prepareBlockKey(pair) }))
      .filter(({ blockKey }) => isWhole(bytes.length / blockKey.modulus.length));
    const [first] = candidates;
    if (first === undefined) return undefined;

    const keys = candidates.map(({ blockKey }) => blockKey);
    const { opened, milliseconds } = await this.#threads.open({ bytes: new Uint8Array(bytes), keys });
    spent?.(milliseconds);
    const { keyId, blockKey } = candidates[opened?.keyIndex ?? 0] ?? first;
    const blocks = digestsOf(bytes, blockKey.modulus.length);
    if (opened === undefined || (opened.padding === "PKCS1-v1_5" && !this.#legacyPkcs1)) return undefined;
    return { keyId, padding: opened.padding, blocks, plain: opened.plain };
  }

  /** Terminates the threads. Pending operations fail. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}

function isWhole(blocks: number): boolean {
  return Number.isInteger(blocks) && blocks <= maxBlocks;
}

function digestsOf(bytes: Uint8Array, size: number): Digest[] {
  const blocks = Array.from({ length: bytes.length / size }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return blocks.map((block) => hash("sha256", block, "hex"));
}

/** The imported private key of a pair. */
const prepareBlockKey = memoizeByKey(({ privateKey }: ServerKeyPair): BlockKey => {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: "der", type: "pkcs8" });
  const { n = "", d = "" } = key.export({ format: "jwk" });
  const modulus = Buffer.from(n, "base64url");
  const exponent = Buffer.from(d, "base64url");
  const padded = Buffer.concat([Buffer.alloc(modulus.length - exponent.length), exponent]);
  return { key, modulus: new Uint8Array(modulus), rejectionKey: createSecretKey(hash("sha256", padded, "buffer")) };
});

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
const blocksPerTick = 8;

/** RSA with OpenSSL. The public operation is fast enough for the event loop, a few blocks per tick. */
export class RsaAnswerCipher implements AnswerCipher {
  async seal(client: ClientKey, padding: RsaPadding, plain: Uint8Array): Promise<string> {
    const { overhead, options } = paddings[padding];
    const key = { key: clientKeyObject(client), ...options };
    const capacity = Math.ceil(client.bits / 8) - overhead;
    const blocks: Buffer[] = [];
    do {
      const start = blocks.length * capacity;
      if (blocks.length > 0 && blocks.length % blocksPerTick === 0) await nextTurn();
      blocks.push(publicEncrypt(key, plain.subarray(start, start + capacity)));
    } while (blocks.length * capacity < plain.length);
    return Buffer.concat(blocks).toString("base64");
  }
}
