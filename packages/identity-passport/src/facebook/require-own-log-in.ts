import { unproven } from "../http/provider-failure.ts";
import { type JsonObject, strictJsonObject } from "../http/strict-json.ts";

export interface OwnLogIn {
  readonly clientId: string;
  readonly nonce: string;
  /** The user of the access token. */
  readonly subject: string;
}

const longestToken = 16_384;

/**
 * 324 unless the id token beside an access token was issued for this log-in. This refuses an authorization code of another log-in. The
 * token comes directly from the provider over TLS, which replaces the check of its signature (OpenID Connect Core 1.0, 3.1.3.7).
 */
export function requireOwnLogIn(token: unknown, { clientId, nonce, subject }: OwnLogIn): void {
  const claims = claimsOf(token);
  if (claims["aud"] !== clientId) throw unproven("the id token is for another application");
  if (claims["nonce"] !== nonce) throw unproven("the id token belongs to another log-in");
  if (claims["sub"] !== subject) throw unproven("the id token is for another user");
}

function claimsOf(token: unknown): JsonObject {
  const [, payload, signature] = typeof token === "string" && token.length <= longestToken ? token.split(".") : [];
  if (payload === undefined || signature === undefined) throw unproven("the provider sent no id token");
  const claims = strictJsonObject(Buffer.from(payload, "base64url").toString());
  if (claims === null) throw unproven("the id token is no object, or has a member twice");
  return claims;
}
