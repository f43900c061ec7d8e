import { createHash, type Hash } from "node:crypto";
import type { ResumableHash, ResumableHashes } from "@sallyport/core";
import { createMD5, createSHA256 } from "hash-wasm";

const create = { md5: createMD5, sha256: createSHA256 };

type Algorithm = keyof typeof create;
type Hasher = Awaited<ReturnType<typeof createMD5>>;

/** Digests whose state can be saved, in WebAssembly. Those of whole files are Node's, which are faster. */
export class WasmHashes implements ResumableHashes {
  async begin(algorithm: Algorithm): Promise<ResumableHash> {
    const hasher = await create[algorithm]();
    return new WasmHash(hasher.init());
  }

  beginWhole(algorithm: Algorithm): ResumableHash {
    return new NodeHash(createHash(algorithm));
  }

  async resume(algorithm: Algorithm, saved: string): Promise<ResumableHash | null> {
    if (saved.startsWith(complete)) return new CompleteHash(saved);
    const hasher = await create[algorithm]();
    try {
      return new WasmHash(hasher.load(Buffer.from(saved, "base64")));
    } catch {
      // The state begins with a digest of the WebAssembly module that saved it.
      return null;
    }
  }
}

class WasmHash implements ResumableHash {
  constructor(private readonly hasher: Hasher) {}

  update(bytes: Uint8Array): void {
    this.hasher.update(bytes);
  }

  digest(): string {
    const state = this.hasher.save();
    const digest = this.hasher.digest("hex");
    this.hasher.load(state);
    return digest;
  }

  save(): string {
    return Buffer.from(this.hasher.save()).toString("base64");
  }
}

/** Marks the digest of a whole file in place of a state. No base64 begins with it. */
const complete = "=";

class NodeHash implements ResumableHash {
  constructor(private readonly hash: Hash) {}

  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  digest(): string {
    return this.hash.copy().digest("hex");
  }

  save(): string {
    return `${complete}${this.digest()}`;
  }
}

class CompleteHash implements ResumableHash {
  constructor(private readonly saved: string) {}

  update(): never {
    throw new TypeError("the digest is complete");
  }

  digest(): string {
    return this.saved.slice(complete.length);
  }

  save(): string {
    return this.saved;
  }
}
