import type { Digest, OneTimeKind, OneTimeSecret } from "@sallyport/core";

/** A secret as it is kept. */
export type OneTimeRecord = Pick<OneTimeSecret, "kind" | "subject" | "payload"> & { readonly expiresAt: number };

export function oneTimeKey(kind: OneTimeKind, digest: Digest): string {
  return `${kind} ${digest}`;
}
