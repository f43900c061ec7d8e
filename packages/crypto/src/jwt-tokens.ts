import { createPrivateKey, createPublicKey } from "node:crypto";
import type {
  ServerKeyPair,
  ServerPublicKey,
  TokenClaims,
  TokenExpectation,
  TokenSigner,
  TokenVerifier,
} from "@sallyport/core";
import jsonwebtoken from "jsonwebtoken";
import { memoizeByKey } from "./digests-and-random.ts";
import { strictBase64 } from "./strict-base64.ts";

/** Signs JWTs with jsonwebtoken. */
export class JwtTokenSigner implements TokenSigner {
  readonly #keyOf = memoizeByKey(({ privateKey }: ServerKeyPair) =>
    createPrivateKey({ key: Buffer.from(privateKey), format: "der", type: "pkcs8" }),
  );

  sign(claims: TokenClaims, pair: ServerKeyPair): string {
    if (pair.kind !== "jwt") throw new TypeError("tokens require a key of kind jwt");
    const payload = readTokenClaims({ ...claims });
    if (payload === undefined) throw new TypeError("the claims of the token are missing or have a wrong type");
    // A string: with an object, the library replaces an `iat` of 0.
    const options = { algorithm: "ES256", header: { alg: "ES256", typ: "JWT", kid: pair.keyId } } as const;
    const signed = jsonwebtoken.sign(JSON.stringify(payload), this.#keyOf(pair), options);
    const end = signed.lastIndexOf(".") + 1;
    const signature = withLowS(Buffer.from(signed.slice(end), "base64url"));
    const token = signed.slice(0, end) + signature.toString("base64url");
    if (readToken(token) === undefined) throw new TypeError("the claims of the token are too long or not strings");
    return token;
  }
}

/** Parses tokens strictly, then verifies signature, algorithm, issuer and audience with jsonwebtoken. */
export class JwtTokenVerifier implements TokenVerifier {
  readonly #keyOf = memoizeByKey(({ publicKey }: ServerPublicKey) => createPublicKey(publicKey));

  keyIdOf(token: string): string | undefined {
    return readToken(token)?.keyId;
  }

  verify(token: string, { keys, issuer, audience, now }: TokenExpectation): TokenClaims | undefined {
    const unchecked = readToken(token);
    const key = unchecked && keys.get(unchecked.keyId);
    if (unchecked === undefined || key?.kind !== "jwt") return undefined;
    const object = this.#keyOf(key);
    try {
      // The library treats time 0 as "not given", so times are checked below.
      const times = { ignoreExpiration: true, ignoreNotBefore: true };
      jsonwebtoken.verify(token, object, { algorithms: ["ES256"], issuer, audience, ...times });
    } catch {
      return undefined;
    }
    const { claims, notBefore } = unchecked;
    if (claims.iss !== issuer || claims.aud !== audience) return undefined;
    return notBefore <= now && now < claims.exp ? claims : undefined;
  }
}

const maxTokenLength = 4_096;
const headerMembers = "alg,kid,typ";

/** The content of a token before its signature is verified. */
export interface UncheckedToken {
  readonly keyId: string;
  readonly claims: TokenClaims;
  /** `nbf`, 0 if absent. Our tokens have none, but it is honoured. */
  readonly notBefore: number;
}

/**
 * Parses a token in our signer's exact encoding: three base64url parts without padding; a header with exactly `alg`,
 * `typ` and `kid`; JSON as `JSON.stringify` writes it, so without duplicate members or white space; and a low-S
 * signature. All claims are required. Returns `undefined` otherwise.
 */
function readToken(token: string): UncheckedToken | undefined {
  if (token.length > maxTokenLength) return undefined;
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

const texts = ["iss", "aud", "sub", "sid", "jti"] as const;
const maxTextLength = 1_024;
/** The last second of the year 9999. Later times are mistakes. */
const latest = 253_402_300_799;

/** The claims of a payload, `undefined` if one is missing or invalid. */
function readTokenClaims(payload: Readonly<Record<string, unknown>>): TokenClaims | undefined {
  const { iss, aud, sub, sid, jti, iat, exp } = payload;
  if (!texts.every((name) => isText(payload[name]))) return undefined;
  if (!isTime(iat) || !isTime(exp) || iat > exp) return undefined;
  return { iss, aud, sub, sid, jti, iat, exp } as TokenClaims;
}

/** Whether the value is a `NumericDate`: whole seconds since 1970. */
function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= latest;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxTextLength;
}

/** The order of P-256 (FIPS 186-4, D.1.2.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const half = order / 2n;
const partLength = 32;

/**
 * An ES256 signature (r and s, 32 bytes each) stays valid if s is negated. Only the smaller s is accepted, so that a
 * token cannot be altered into a second valid token.
 */
function hasLowS(signature: Uint8Array): boolean {
  return signature.length === 2 * partLength && partS(signature) <= half;
}

/** The equivalent signature with the smaller s. */
function withLowS(signature: Uint8Array): Buffer {
  const s = partS(signature);
  const low = s > half ? order - s : s;
  const text = low.toString(16).padStart(2 * partLength, "0");
  return Buffer.concat([signature.subarray(0, partLength), Buffer.from(text, "hex")]);
}

function partS(signature: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(signature.subarray(partLength)).toString("hex") || "0"}`);
}
