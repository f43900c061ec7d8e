import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { hash, type Options, verify } from "@node-rs/argon2";
import { BoundedQueue, type BreachedPasswords, type PasswordHasher } from "@sallyport/core";

export interface Argon2Options {
  /** Memory of one hash in KiB; 19456 unless given. */
  readonly memoryCost?: number;
  /** Passes over the memory; 2 unless given. */
  readonly timeCost?: number;
  /** Lanes of one hash; 1 unless given. */
  readonly parallelism?: number;
  /**
   * Hashes at once. Unless given one for each CPU, but three at most: they run on Node's own four threads, and files
   * and name look-ups need one, too.
   */
  readonly concurrency?: number;
  /** Hashes that may wait; 100 unless given. Further ones are refused with 706. */
  readonly queueLimit?: number;
}

/** Password hashing with argon2id, bounded in what runs and what waits. */
export class Argon2PasswordHasher implements PasswordHasher {
  private constructor(
    private readonly parameters: Options,
    private readonly queue: BoundedQueue,
    private readonly decoy: string,
  ) {}

  /** Makes the decoy that stands in for users that do not exist; parameters that argon2 does not take are refused here. */
  static async create(options: Argon2Options = {}): Promise<Argon2PasswordHasher> {
    const { memoryCost = 19_456, timeCost = 2, parallelism = 1, queueLimit = 100 } = options;
    const { concurrency = Math.min(availableParallelism(), 3) } = options;
    // Argon2id is the library's default; its `Algorithm` is an enumeration that isolated modules cannot use.
    const parameters = { memoryCost, timeCost, parallelism };
    const decoy = await hash(randomBytes(32), parameters);
    const queue = new BoundedQueue({ concurrency, queueLimit, detail: "Too many passwords wait to be checked." });
    return new Argon2PasswordHasher(parameters, queue, decoy);
  }

  async hash(password: string): Promise<string> {
    return this.queue.run(() => hash(password, this.parameters));
  }

  async verify(encoded: string | null, password: string, decoy: string | null): Promise<boolean> {
    return this.queue.run(async () => {
      if (encoded !== null) {
        const verdict = await compare(encoded, password);
        if (verdict !== "unusable") return verdict;
      }
      const pretended = decoy === null ? "unusable" : await compare(decoy, password);
      if (pretended === "unusable") await verify(this.decoy, password);
      return false;
    });
  }

  isOutdated(encoded: string): boolean {
    return parametersOf(encoded) !== parametersOf(this.decoy);
  }
}

/** All of an encoded hash but its salt and digest. */
function parametersOf(encoded: string): string {
  return encoded.split("$", 4).join("$");
}

async function compare(encoded: string, password: string): Promise<boolean | "unusable"> {
  try {
    return await verify(encoded, password);
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === "InvalidArg") return "unusable";
    throw error;
  }
}

/** Bytes of each digest that the list keeps: so many that no password is taken for another by chance (one in ten million). */
const kept = 5;

/** Passwords of published lists, by the beginnings of their MD5 in ascending order: what clients send can be looked up like what people type. */
export class ListedBreachedPasswords implements BreachedPasswords {
  private readonly digests: Buffer;

  constructor(file: string | URL = new URL("../data/breached-passwords.bin", import.meta.url)) {
    this.digests = readFileSync(file);
  }

  /** How many there are. */
  get size(): number {
    return this.digests.length / kept;
  }

  has(md5: string): boolean {
    const wanted = Number.parseInt(md5.slice(0, 2 * kept), 16);
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const found = this.digests.readUIntBE(middle * kept, kept);
      if (found === wanted) return true;
      if (found < wanted) from = middle + 1;
      else to = middle;
    }
    return false;
  }
}
