import { hash } from "node:crypto";
import type { CredentialsCipher, Digest, OpenedCredentials, ServerKeyPair } from "@sallyport/core";
import { strictBase64 } from "../strict-base64.ts";
import { BlockThreads, type BlockThreadsOptions } from "./block-threads.ts";
import { prepareBlockKey } from "./prepare-block-key.ts";

export interface RsaCredentialsCipherOptions extends BlockThreadsOptions {
  /** Whether PKCS#1 v1.5 is accepted; true unless given. Refusing it costs the same work. */
  readonly legacyPkcs1?: boolean;
}

const mostBlocks = 16;
const largestBlock = 512;
const longestText = Math.ceil((mostBlocks * largestBlock) / 3) * 4;

/** RSA by OpenSSL without padding, in threads of its own; the paddings are taken off by code of this package. */
export class RsaCredentialsCipher implements CredentialsCipher {
  readonly #threads: BlockThreads;
  readonly #legacyPkcs1: boolean;

  constructor({ legacyPkcs1 = true, ...threads }: RsaCredentialsCipherOptions = {}) {
    this.#legacyPkcs1 = legacyPkcs1;
    this.#threads = new BlockThreads(threads);
  }

  async open(credentials: string, accepted: readonly ServerKeyPair[]): Promise<OpenedCredentials | undefined> {
    const bytes = credentials.length > longestText ? undefined : strictBase64(credentials, "base64");
    if (bytes === undefined || bytes.length === 0) return undefined;
    const candidates = accepted
      .filter(({ kind }) => kind === "rsa")
      .map((pair) => ({ keyId: pair.keyId, blockKey: prepareBlockKey(pair) }))
      .filter(({ blockKey }) => isWhole(bytes.length / blockKey.modulus.length));
    const [first] = candidates;
    if (first === undefined) return undefined;

    const keys = candidates.map(({ blockKey }) => blockKey);
    const opened = await this.#threads.open({ bytes: new Uint8Array(bytes), keys });
    const { keyId, blockKey } = candidates[opened?.keyIndex ?? 0] ?? first;
    const blocks = digestsOf(bytes, blockKey.modulus.length);
    if (opened === undefined || (opened.padding === "PKCS1-v1_5" && !this.#legacyPkcs1)) return undefined;
    return { keyId, padding: opened.padding, blocks, plain: opened.plain };
  }

  /** Ends the threads. What is still being opened fails. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}

function isWhole(blocks: number): boolean {
  return Number.isInteger(blocks) && blocks <= mostBlocks;
}

function digestsOf(bytes: Uint8Array, size: number): Digest[] {
  const blocks = Array.from({ length: bytes.length / size }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return blocks.map((block) => hash("sha256", block, "hex"));
}
