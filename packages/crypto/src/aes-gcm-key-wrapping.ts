import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import type { KeyWrapping, ServerKeyPair } from "@sallyport/core";
import { memoizeByKey } from "./digests-and-random.ts";
import { strictBase64 } from "./strict-base64.ts";

const algorithm = "aes-256-gcm";
const version = 1;
const nonceLength = 12;
const tagLength = 16;
const overhead = 1 + nonceLength + tagLength;
const maxPlainLength = 65_536;
const maxTextLength = Math.ceil(((maxPlainLength + overhead) * 4) / 3);
/** Maximum number of cached keys. Purposes are few; beyond the limit, keys are derived for each use. */
const keptKeys = 256;

/**
 * Key wrapping with AES-256-GCM. Each purpose has its own key, derived from the master key with HKDF-SHA-256. The
 * purpose is also associated data. Format: version (1 byte), nonce (12), ciphertext, tag (16), in base64url.
 *
 * The text does not name its master key. The tag tells whether a key fits, so the keys are tried in turn, which takes some
 * microseconds for each.
 */
export class AesGcmKeyWrapping implements KeyWrapping {
  readonly #current: PurposeKeys;
  readonly #former: readonly PurposeKeys[];

  /**
   * @param masterKey 32 random bytes; any other length throws `RangeError`
   * @param formerKeys master keys that open texts, but seal none
   */
  constructor(masterKey: Uint8Array, formerKeys: readonly Uint8Array[] = []) {
    this.#current = new PurposeKeys(masterKey);
    this.#former = formerKeys.map((key) => new PurposeKeys(key));
  }

  wrap(plain: Uint8Array, purpose: string): string {
    if (plain.length > maxPlainLength) throw new RangeError(`a secret must have at most ${maxPlainLength} bytes`);
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv(algorithm, this.#current.keyFor(purpose), nonce, { authTagLength: tagLength });
    cipher.setAAD(associatedData(purpose));
    const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.of(version), nonce, encrypted, cipher.getAuthTag()]).toString("base64url");
  }

  unwrap(wrapped: string, purpose: string): Uint8Array | undefined {
    const bytes = bytesOf(wrapped);
    return bytes && (openWith(this.#current, bytes, purpose) ?? this.#openFormer(bytes, purpose));
  }

  rewrap(wrapped: string, purpose: string): string | undefined {
    const bytes = bytesOf(wrapped);
    if (bytes === undefined) return undefined;
    if (openWith(this.#current, bytes, purpose) !== undefined) return wrapped;
    const plain = this.#openFormer(bytes, purpose);
    return plain && this.wrap(plain, purpose);
  }

  #openFormer(bytes: Buffer, purpose: string): Uint8Array | undefined {
    for (const keys of this.#former) {
      const plain = openWith(keys, bytes, purpose);
      if (plain !== undefined) return plain;
    }
    return undefined;
  }
}

/** Returns the key wrapping under a key that is derived from a key pair. Derives it once per object. */
export function wrappingByPair(): (pair: ServerKeyPair) => KeyWrapping {
  return memoizeByKey(
    ({ privateKey }: ServerKeyPair) =>
      new AesGcmKeyWrapping(new Uint8Array(hkdfSync("sha256", privateKey, "", "sallyport wrapping by pair", 32))),
  );
}

/** The keys derived from one master key. */
class PurposeKeys {
  readonly #masterKey: KeyObject;
  readonly #keys = new Map<string, KeyObject>();

  constructor(masterKey: Uint8Array) {
    if (masterKey.length !== 32) throw new RangeError("a master key must have 32 bytes");
    this.#masterKey = createSecretKey(masterKey);
  }

  keyFor(purpose: string): KeyObject {
    const cached = this.#keys.get(purpose);
    if (cached !== undefined) return cached;
    const key = createSecretKey(new Uint8Array(hkdfSync("sha256", this.#masterKey, "", associatedData(purpose), 32)));
    if (this.#keys.size < keptKeys) this.#keys.set(purpose, key);
    return key;
  }
}

/** The bytes of a wrapped text; `undefined` for another form. */
function bytesOf(wrapped: string): Buffer | undefined {
  if (wrapped.length > maxTextLength) return undefined;
  const bytes = strictBase64(wrapped, "base64url");
  return bytes === undefined || bytes.length < overhead || bytes[0] !== version ? undefined : bytes;
}

/** The plain bytes; `undefined` if a key of another master key or purpose wrapped them. */
function openWith(keys: PurposeKeys, bytes: Buffer, purpose: string): Uint8Array | undefined {
  const nonce = bytes.subarray(1, 1 + nonceLength);
  const decipher = createDecipheriv(algorithm, keys.keyFor(purpose), nonce, { authTagLength: tagLength });
  decipher.setAAD(associatedData(purpose));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const plain = decipher.update(bytes.subarray(1 + nonceLength, -tagLength));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return new Uint8Array(plain);
}

function associatedData(purpose: string): Buffer {
  return Buffer.from(`sallyport wrapping ${version}|${purpose}`);
}
