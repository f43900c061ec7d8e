import { ServiceError } from "../errors/index.ts";
import type { JsonValue } from "../storage/index.ts";
import type { StoredKey, WrappedKeyPair } from "./key-store.ts";
import type { ServerKeyPair, ServerKeys } from "./server-keys.ts";

const keyPurpose = "server key";

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
    requireWrapping(this.wrapping);
  }

  seal({ privateKey, ...publicPart }: ServerKeyPair): WrappedKeyPair {
    return { ...publicPart, wrappedPrivateKey: requireWrapping(this.wrapping).wrap(privateKey, keyPurpose) };
  }

  /** `undefined` for another master key. The public half comes from the private one, which only that key can seal. */
  open({ kind, keyId, wrappedPrivateKey }: StoredKey): ServerKeyPair | undefined {
    const privateKey = requireWrapping(this.wrapping).unwrap(wrappedPrivateKey, keyPurpose);
    const pair = privateKey && this.serverKeys.restore(kind, privateKey);
    return pair?.keyId === keyId ? pair : undefined;
  }
}

/** 705 without a master key. */
export function requireWrapping(wrapping: KeyWrapping | null, detail = "There is no master key."): KeyWrapping {
  if (wrapping === null) throw new ServiceError(705, { detail });
  return wrapping;
}

/**
 * Port: sealing of secrets under the master key of the installation. Private keys, symmetric keys of sessions and the
 * text of the `Secure-Token` go through it.
 *
 * A purpose says what a secret is for, for example `server key` or `secure token|<alias>`. It is bound to the result:
 * what was wrapped for one purpose cannot be unwrapped for another. A purpose is no secret, and there should be few of
 * them: each has a key of its own.
 */
export interface KeyWrapping {
  /** Seals 0 to 65,536 bytes. The text is base64url without padding, different every time, 29 bytes longer than `plain`. */
  wrap(plain: Uint8Array, purpose: string): string;

  /**
   * What was wrapped. `undefined` for anything that this master key did not wrap for this purpose: altered,
   * truncated, another spelling of the same bytes, an unknown version.
   */
  unwrap(wrapped: string, purpose: string): Uint8Array | undefined;
}

export function sealJson(wrapping: KeyWrapping, value: unknown, purpose: string): string {
  // What is not ASCII, JSON can escape.
  const json = JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return wrapping.wrap(asciiBytes(json), purpose);
}

/** The JSON that was sealed for the purpose; `undefined` for whatever this master key did not seal for it. */
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
