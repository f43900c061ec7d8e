import type { Database } from "../databases/database.ts";
import type { KeyWrapping } from "./key-wrapping.ts";
import type { ServerKeyKind, ServerKeyPair } from "./server-key.ts";
import type { ServerKeys } from "./server-keys.ts";

/** Where new key pairs come from, and what they are sealed with. */
export interface KeySupply {
  /** `null` without a master key: then nothing that needs a key of the server can be used. */
  readonly wrapping: KeyWrapping | null;
  readonly serverKeys: ServerKeys;
  /** Pairs that the operator supplies instead of having them made. */
  readonly supplied: ReadonlyMap<ServerKeyKind, ServerKeyPair>;
  readonly rsaBits: 2048 | 3072 | 4096;
}

const day = 24 * 3_600_000;

/** The pair to put into a database: the supplied one, or a new one. */
export async function nextPair(
  kind: ServerKeyKind,
  { supplied, serverKeys, rsaBits }: KeySupply,
): Promise<ServerKeyPair> {
  return supplied.get(kind) ?? serverKeys.generate(kind === "rsa" ? { kind, bits: rsaBits } : { kind });
}

/**
 * For how long a key is still accepted after another took its place, in milliseconds: a day; one that has signed tokens for
 * as long as the last of these can be good.
 */
export function keyOverlap(kind: ServerKeyKind, { policy }: Database): number {
  return kind === "jwt" ? Math.max(day, policy.sessions.absoluteLifetime) : day;
}
