import type { TokenClaims } from "@sallyport/core";
import { strictBase64 } from "../strict-base64.ts";
import { hasLowS } from "./ecdsa-signature.ts";
import { isTime, readTokenClaims } from "./read-token-claims.ts";

const longestToken = 4_096;
const headerMembers = "alg,kid,typ";

/** What a token says of itself, before its signature was checked. */
export interface UncheckedToken {
  readonly keyId: string;
  readonly claims: TokenClaims;
  /** `nbf`, which we do not write but would honour; 0 if it is absent. */
  readonly notBefore: number;
}

/**
 * Reads a token that has all claims, if it is spelled as our signer spells tokens: three parts of base64url without padding, a header of
 * exactly `alg`, `typ` and `kid`, JSON as `JSON.stringify` writes it (so no member comes twice, and nothing stands
 * between them), and the one of two equivalent signatures that we make.
 */
export function readToken(token: string): UncheckedToken | undefined {
  if (token.length > longestToken) return undefined;
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  const [header, payload, signature] = parts.map((part) => strictBase64(part, "base64url"));
  const head = readObject(header);
  const body = readObject(payload);
  if (head === undefined || body === undefined || signature === undefined || !hasLowS(signature)) return undefined;
  if (Object.keys(head).toSorted().join(",") !== headerMembers) return undefined;
  const { alg, typ, kid } = head;
  if (alg !== "ES256" || typ !== "JWT" || typeof kid !== "string") return undefined;
  const claims = readTokenClaims(body);
  const { nbf: notBefore = 0 } = body;
  return claims && isTime(notBefore) ? { keyId: kid, claims, notBefore } : undefined;
}

function readObject(bytes: Buffer | undefined): Record<string, unknown> | undefined {
  if (bytes === undefined) return undefined;
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Buffer.from(JSON.stringify(value)).equals(bytes) ? (value as Record<string, unknown>) : undefined;
}
