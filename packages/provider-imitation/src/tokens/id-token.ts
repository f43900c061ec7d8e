import type { TokenFault } from "../misbehaviour.ts";
import { type SigningKeys, unsigned } from "./signing-keys.ts";

export interface IdTokenContent {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
  readonly nonce: string | null;
  /** What else the provider says. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Seconds since 1970. */
  readonly now: number;
}

const lifetime = 3_600;
const stranger = "nobody-here-knows-me";

/** An id token, or one that is wrong in one way; `null` for none at all. */
export async function idToken(
  keys: SigningKeys,
  content: IdTokenContent,
  fault: TokenFault | undefined,
): Promise<string | null> {
  const { issuer, clientId, subject, nonce, now } = content;
  const claims = {
    iss: issuer,
    aud: clientId,
    sub: subject,
    iat: now,
    exp: now + lifetime,
    ...(nonce === null ? {} : { nonce }),
    ...content.claims,
  };
  const payload = JSON.stringify(claims);
  const changed = (changes: Readonly<Record<string, unknown>>) =>
    keys.signed(JSON.stringify({ ...claims, ...changes }));
  switch (fault) {
    case undefined:
      return keys.signed(payload);
    case "foreignKey":
      return keys.signedByForeignKey(payload);
    case "unknownKey":
      return keys.signedByForeignKey(payload, "a-key-that-is-not-published");
    case "noKeyName":
      return keys.signed(payload, { kid: undefined });
    case "unsigned":
      return unsigned(payload);
    case "signedByPublicKey":
      return keys.signedByPublicKey(payload);
    case "otherAudience":
      return changed({ aud: stranger });
    case "severalAudiences":
      return changed({ aud: [clientId, stranger] });
    case "otherParty":
      return changed({ azp: stranger });
    case "otherIssuer":
      return changed({ iss: `${issuer}.example` });
    case "otherDirectory":
      return changed({ tid: "33333333-3333-4333-8333-333333333333" });
    case "expired":
      return changed({ iat: now - 2 * lifetime, exp: now - lifetime });
    case "old":
      return changed({ iat: now - lifetime / 2 });
    case "ahead":
      return changed({ iat: now + lifetime / 2 });
    case "noExpiry":
      return changed({ exp: undefined });
    case "noNonce":
      return changed({ nonce: undefined });
    case "otherNonce":
      return changed({ nonce: "n".repeat(43) });
    case "noSubject":
      return changed({ sub: undefined });
    case "longSubject":
      return changed({ sub: "1".repeat(256) });
    case "numericSubject":
      return changed({ sub: 1234567890 });
    case "listedSubject":
      return changed({ sub: [subject] });
    case "memberTwice":
      return keys.signed(`{"sub":"${stranger}",${payload.slice(1)}`);
    case "accessTokenType":
      return keys.signed(payload, { typ: "at+jwt" });
    case "noToken":
      return null;
  }
}
