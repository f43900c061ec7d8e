import type { ResumableHash, ResumableHashes } from "@sallyport/core";
import { createMD5, createSHA256 } from "hash-wasm";

const create = { md5: createMD5, sha256: createSHA256 };

type Hasher = Awaited<ReturnType<typeof createMD5>>;

/** Digests in WebAssembly: unlike those of Node, their state can be saved. */
export class WasmHashes implements ResumableHashes {
  async begin(algorithm: keyof typeof create): Promise<ResumableHash> {
    const hasher = await create[algorithm]();
    return new WasmHash(hasher.init());
  }

  async resume(algorithm: keyof typeof create, saved: string): Promise<ResumableHash | null> {
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
