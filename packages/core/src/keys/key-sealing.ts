import { ServiceError } from "../errors/service-error.ts";
import type { KeyWrapping } from "./key-wrapping.ts";
import type { ServerKeyPair } from "./server-key.ts";
import type { ServerKeys } from "./server-keys.ts";
import type { StoredKey, WrappedKeyPair } from "./stored-key.ts";

/** What private keys are wrapped for. */
const purpose = "server key";

/** Seals key pairs under the master key, and opens them. 705 without a master key. */
export class KeySealing {
  /** @param wrapping `null` without a master key */
  constructor(
    private readonly wrapping: KeyWrapping | null,
    private readonly serverKeys: Pick<ServerKeys, "restore">,
  ) {}

  get usable(): boolean {
    return this.wrapping !== null;
  }

  /** 705 without a master key. */
  assertUsable(): void {
    this.required();
  }

  seal({ privateKey, ...publicPart }: ServerKeyPair): WrappedKeyPair {
    return { ...publicPart, wrappedPrivateKey: this.required().wrap(privateKey, purpose) };
  }

  /**
   * The pair; `undefined` if another master key sealed it. The public half comes from the private one, so nobody who
   * can write to the database but lacks the master key can make a key of his own count.
   */
  open({ kind, keyId, wrappedPrivateKey }: StoredKey): ServerKeyPair | undefined {
    const privateKey = this.required().unwrap(wrappedPrivateKey, purpose);
    const pair = privateKey && this.serverKeys.restore(kind, privateKey);
    return pair?.keyId === keyId ? pair : undefined;
  }

  private required(): KeyWrapping {
    if (this.wrapping === null) throw new ServiceError(705, { detail: "There is no master key." });
    return this.wrapping;
  }
}
