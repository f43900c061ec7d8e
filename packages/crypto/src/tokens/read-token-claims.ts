import type { TokenClaims } from "@sallyport/core";

const texts = ["iss", "aud", "sub", "sid", "jti"] as const;
const longestText = 1_024;
/** The last second of the year 9999: times beyond it are mistakes. */
const latest = 253_402_300_799;

/** The claims among the members of a payload; `undefined` if one is missing or not what it should be. */
export function readTokenClaims(payload: Readonly<Record<string, unknown>>): TokenClaims | undefined {
  const { iss, aud, sub, sid, jti, iat, exp } = payload;
  if (!texts.every((name) => isText(payload[name]))) return undefined;
  if (!isTime(iat) || !isTime(exp) || iat > exp) return undefined;
  return { iss, aud, sub, sid, jti, iat, exp } as TokenClaims;
}

/** Whether it is a time as tokens have it: whole seconds since 1970. */
export function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= latest;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= longestText;
}
