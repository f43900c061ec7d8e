import type { ErrorCode } from "@sallyport/storage";

/** The proof of identity: a signed id token, or the provider's answer about an access token. */
export type ProviderProof = "idToken" | "accessToken";

/** Faults of a fake provider with the expected error code. `proof` is the proof that a fault requires. */
export const providerFaults = [
  {
    name: "foreignSignature",
    does: "signs with an unpublished key under the ID of a published one",
    proof: "idToken",
    code: 324,
  },
  {
    name: "unknownKey",
    does: "signs with an unpublished key under its own ID",
    proof: "idToken",
    code: 324,
  },
  { name: "unsigned", does: "sends an ID token with the algorithm none", proof: "idToken", code: 324 },
  {
    name: "signedByPublicKey",
    does: "sends an ID token signed by HS256 with its public key as the secret",
    proof: "idToken",
    code: 324,
  },
  { name: "otherAudience", does: "issues the proof for another application", proof: null, code: 324 },
  { name: "otherParty", does: "names another application in azp", proof: "idToken", code: 324 },
  { name: "otherIssuer", does: "names another issuer", proof: "idToken", code: 324 },
  { name: "expired", does: "sends an expired proof", proof: null, code: 324 },
  { name: "noExpiry", does: "sends an ID token without an expiry", proof: "idToken", code: 324 },
  { name: "noNonce", does: "omits the nonce", proof: "idToken", code: 324 },
  { name: "otherNonce", does: "sends another nonce", proof: "idToken", code: 324 },
  { name: "noSubject", does: "names no subject", proof: null, code: 324 },
  {
    name: "otherUser",
    does: "reports an access token of another user than the profile",
    proof: "accessToken",
    code: 324,
  },
  { name: "notValid", does: "reports the access token as invalid", proof: "accessToken", code: 324 },
  { name: "noProof", does: "sends no ID token", proof: "idToken", code: 324 },
  { name: "refusesClient", does: "refuses the client or its secret", proof: null, code: 608 },
  { name: "serverError", does: "answers the code exchange with 500", proof: null, code: 706 },
  { name: "hangs", does: "does not answer the code exchange", proof: null, code: 706 },
  { name: "trickles", does: "answers the code exchange byte by byte, without an end", proof: null, code: 706 },
  { name: "huge", does: "answers the code exchange with 50 MiB of mostly blanks", proof: null, code: 324 },
  {
    name: "redirects",
    does: "redirects the code exchange to its answer (307)",
    proof: null,
    code: 324,
  },
  { name: "otherType", does: "answers the code exchange with text/html", proof: null, code: 324 },
  { name: "notJson", does: "answers the code exchange with invalid JSON", proof: null, code: 324 },
  { name: "memberTwice", does: "answers the code exchange with a duplicate member", proof: null, code: 324 },
] as const satisfies readonly {
  readonly name: string;
  readonly does: string;
  readonly proof: ProviderProof | null;
  readonly code: ErrorCode;
}[];

export type ProviderFault = (typeof providerFaults)[number]["name"];
