import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import argon2, { type Options } from "@node-rs/argon2";
import { BoundedQueue, type BreachedPasswords, type PasswordHasher } from "@sallyport/core";

export interface Argon2Options {
  /** Memory of one hash in KiB. Default: 19456. */
  readonly memoryCost?: number;
  /** Iterations. Default: 2. */
  readonly timeCost?: number;
  /** Lanes of one hash. Default: 1. */
  readonly parallelism?: number;
  /**
   * Maximum number of parallel hashes. Default: number of CPUs, at most 3. Hashes run in Node's pool of four threads,
   * which files and DNS look-ups share.
   */
  readonly concurrency?: number;
  /** Maximum number of waiting hashes. Default: 100. Further ones are refused with 706. */
  readonly queueLimit?: number;
}

/** Password hashing with argon2id, with limits for parallel and waiting hashes. */
export class Argon2PasswordHasher implements PasswordHasher {
  private constructor(
    private readonly parameters: Options,
    private readonly queue: BoundedQueue,
    private readonly decoy: string,
  ) {}

  /** Creates the decoy hash that is verified for unknown users. Rejects if argon2 refuses the parameters. */
  static async create(options: Argon2Options = {}): Promise<Argon2PasswordHasher> {
    const { memoryCost = 19_456, timeCost = 2, parallelism = 1, queueLimit = 100 } = options;
    const { concurrency = Math.min(availableParallelism(), 3) } = options;
    // Argon2id is the library's default. Its `Algorithm` is a const enum, which isolated modules cannot use.
    const parameters = { memoryCost, timeCost, parallelism };
    const decoy = await argon2.hash(randomBytes(32), parameters);
    const queue = new BoundedQueue({ concurrency, queueLimit, detail: "Too many requests wait for a password hash." });
    return new Argon2PasswordHasher(parameters, queue, decoy);
  }

  async hash(password: string): Promise<string> {
    return this.queue.run(() => argon2.hash(password, this.parameters));
  }

  async verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean> {
    return this.queue.run(async () => {
      if (encoded !== null) {
        const verdict = await compare(encoded, password);
        if (verdict !== "unusable") return verdict;
      }
      const pretended = decoy === null ? "unusable" : await compare(decoy, password);
      if (pretended === "unusable") await argon2.verify(this.decoy, password);
      return false;
    });
  }

  isOutdated(encoded: string): boolean {
    return parametersOf(encoded) !== parametersOf(this.decoy);
  }
}

/** The part of an encoded hash before the salt. */
function parametersOf(encoded: string): string {
  return encoded.split("$", 4).join("$");
}

async function compare(encoded: string, password: string): Promise<boolean | "unusable"> {
  try {
    return await argon2.verify(encoded, password);
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === "InvalidArg") return "unusable";
    throw error;
  }
}

/** Stored bytes per digest. The chance of a false match is about one in ten million. */
const bytesPerDigest = 5;

/** Breached passwords as sorted MD5 prefixes. Both MD5 digests from clients and plain passwords can be looked up. */
export class ListedBreachedPasswords implements BreachedPasswords {
  private readonly digests: Buffer;

  constructor(file: string | URL = new URL("../data/breached-passwords.bin", import.meta.url)) {
    this.digests = readFileSync(file);
  }

  /** Number of listed passwords. */
  get size(): number {
    return this.digests.length / bytesPerDigest;
  }

  has(md5: string): boolean {
    const expected = Number.parseInt(md5.slice(0, 2 * bytesPerDigest), 16);
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const entry = this.digests.readUIntBE(middle * bytesPerDigest, bytesPerDigest);
      if (entry === expected) return true;
      if (entry < expected) from = middle + 1;
      else to = middle;
    }
    return false;
  }
}
