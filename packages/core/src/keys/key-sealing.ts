import { ServiceError } from "../errors/index.ts";
import type { JsonValue } from "../storage/index.ts";
import type { StoredKey, WrappedKeyPair } from "./key-store.ts";
import type { ServerKeyPair, ServerKeys } from "./server-keys.ts";

const keyPurpose = "server key";

/** Seals key pairs under the master key. Throws 705 without one. */
export class KeySealing {
  /** @param wrapping `null` without a master key */
  constructor(
    private readonly wrapping: KeyWrapping | null,
    private readonly serverKeys: Pick<ServerKeys, "restore">,
  ) {}

  get usable(): boolean {
    return this.wrapping !== null;
  }

  /** Throws 705 without a master key. */
  assertUsable(): void {
    requireWrapping(this.wrapping);
  }

  seal({ privateKey, ...publicPart }: ServerKeyPair): WrappedKeyPair {
    return { ...publicPart, wrappedPrivateKey: requireWrapping(this.wrapping).wrap(privateKey, keyPurpose) };
  }

  /** Returns `undefined` for another master key. The public key is derived from the authenticated private key. */
  open({ kind, keyId, wrappedPrivateKey }: StoredKey): ServerKeyPair | undefined {
    const privateKey = requireWrapping(this.wrapping).unwrap(wrappedPrivateKey, keyPurpose);
    const pair = privateKey && this.serverKeys.restore(kind, privateKey);
    return pair?.keyId === keyId ? pair : undefined;
  }
}

/** Throws 705 without a master key. */
export function requireWrapping(wrapping: KeyWrapping | null, detail = "No master key is configured."): KeyWrapping {
  if (wrapping === null) throw new ServiceError(705, { detail });
  return wrapping;
}

/**
 * Port: seals secrets under the master key of the installation: private keys, session keys and `Secure-Token`s.
 *
 * A purpose states the use of a secret, for example `server key` or `secure token|<alias>`. It is bound to the result:
 * text wrapped for one purpose cannot be unwrapped for another. Purposes are not secret. Keep them few, as each has its
 * own derived key.
 */
export interface KeyWrapping {
  /** Seals 0 to 65,536 bytes. The result is unpadded base64url, unique per call, 29 bytes longer than `plain` when decoded. */
  wrap(plain: Uint8Array, purpose: string): string;

  /**
   * Returns the plain bytes. `undefined` for text that this master key did not wrap for this purpose: altered,
   * truncated, non-canonical or of an unknown version.
   */
  unwrap(wrapped: string, purpose: string): Uint8Array | undefined;
}

export function sealJson(wrapping: KeyWrapping, value: unknown, purpose: string): string {
  // Escapes non-ASCII characters, as `asciiBytes` requires.
  const json = JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return wrapping.wrap(asciiBytes(json), purpose);
}

/** Opens sealed JSON. Returns `undefined` if this master key did not seal it for the purpose. */
export function openJson(wrapping: KeyWrapping, sealed: string, purpose: string): JsonValue | undefined {
  const bytes = wrapping.unwrap(sealed, purpose);
  return bytes === undefined ? undefined : (JSON.parse(asciiText(bytes)) as JsonValue);
}

export function asciiText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCodePoint(byte)).join("");
}

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
