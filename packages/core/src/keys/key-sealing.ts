import { type JsonValue, ServiceError } from "@sallyport/storage";
import type { StoredKey, WrappedKeyPair } from "./key-store.ts";
import type { ServerKeyPair, ServerKeys } from "./server-keys.ts";

const keyPurpose: SealedUse = "server key";

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

/** Uses of secrets that are sealed under the master key. `sealedTexts` states for each what a new master key means for it. */
export type SealedUse =
  | "channel key"
  | "cursor"
  | "file key"
  | "file link"
  | "former place"
  | "outbox"
  | "provider data"
  | "provider return code"
  | "provider state"
  | "request result"
  | "second factor"
  | "secure token"
  | "server key";

/** A use, or a use in one database: `secure token|<alias>`. */
export type SealedPurpose = SealedUse | `${SealedUse}|${string}`;

/**
 * Port: seals secrets under the master key of the installation, and opens those sealed under it or a former one.
 *
 * A purpose is bound to the result: text wrapped for one purpose cannot be unwrapped for another. Purposes are not secret.
 * Keep them few, as each has its own derived keys.
 */
export interface KeyWrapping {
  /** Seals 0 to 65,536 bytes. The result is unpadded base64url, unique per call, 29 bytes longer than `plain` when decoded. */
  wrap(plain: Uint8Array, purpose: SealedPurpose): string;

  /**
   * Returns the plain bytes. `undefined` for text that no known master key wrapped for this purpose: of another master key,
   * altered, truncated, non-canonical or of an unknown version.
   */
  unwrap(wrapped: string, purpose: SealedPurpose): Uint8Array | undefined;

  /** Returns the text wrapped under the current master key: itself if it already is. `undefined` as in `unwrap`. */
  rewrap(wrapped: string, purpose: SealedPurpose): string | undefined;
}

/** Maximum number of bytes that `KeyWrapping.wrap` seals. */
export const maxSealedBytes = 65_536;

export function sealJson(wrapping: KeyWrapping, value: unknown, purpose: SealedPurpose): string {
  return wrapping.wrap(asciiBytes(asciiJson(value)), purpose);
}

/** JSON with escapes instead of non-ASCII characters, as `asciiBytes` requires. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Opens sealed JSON. Returns `undefined` if no known master key sealed it for the purpose. */
export function openJson(wrapping: KeyWrapping, sealed: string, purpose: SealedPurpose): JsonValue | undefined {
  const bytes = wrapping.unwrap(sealed, purpose);
  return bytes === undefined ? undefined : (JSON.parse(asciiText(bytes)) as JsonValue);
}

export function asciiText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCodePoint(byte)).join("");
}

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
