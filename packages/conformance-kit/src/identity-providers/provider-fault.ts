import type { ErrorCode } from "@sallyport/core";

/** The proof of identity: a signed id token, or the provider's answer about an access token. */
export type ProviderProof = "idToken" | "accessToken";

/** Faults of a fake provider with the expected error code. `proof` is the proof that a fault requires. */
export const providerFaults = [
  {
    name: "foreignSignature",
    does: "signs with a key that is not the provider's, under the name of one that is",
    proof: "idToken",
    code: 324,
  },
  {
    name: "unknownKey",
    does: "signs with a key that it does not publish, by its own name",
    proof: "idToken",
    code: 324,
  },
  { name: "unsigned", does: "sends an id token with the algorithm none", proof: "idToken", code: 324 },
  {
    name: "signedByPublicKey",
    does: "sends an id token with HS256, the provider's public key being the secret",
    proof: "idToken",
    code: 324,
  },
  { name: "otherAudience", does: "makes the proof for another application", proof: null, code: 324 },
  { name: "otherParty", does: "names another application in azp", proof: "idToken", code: 324 },
  { name: "otherIssuer", does: "names another issuer", proof: "idToken", code: 324 },
  { name: "expired", does: "sends a proof that is over", proof: null, code: 324 },
  { name: "noExpiry", does: "sends an id token that is never over", proof: "idToken", code: 324 },
  { name: "noNonce", does: "leaves the nonce out", proof: "idToken", code: 324 },
  { name: "otherNonce", does: "sends another nonce", proof: "idToken", code: 324 },
  { name: "noSubject", does: "names nobody", proof: null, code: 324 },
  {
    name: "otherUser",
    does: "says that the access token is another user's than the profile",
    proof: "accessToken",
    code: 324,
  },
  { name: "notValid", does: "says that the access token is not valid", proof: "accessToken", code: 324 },
  { name: "noProof", does: "sends no id token", proof: "idToken", code: 324 },
  { name: "refusesClient", does: "does not accept the client or its secret", proof: null, code: 608 },
  { name: "serverError", does: "answers the exchange with 500", proof: null, code: 706 },
  { name: "hangs", does: "does not answer the exchange", proof: null, code: 706 },
  { name: "trickles", does: "answers the exchange with a byte now and then", proof: null, code: 706 },
  { name: "huge", does: "answers the exchange with 50 MiB, all but the start of them blanks", proof: null, code: 324 },
  {
    name: "redirects",
    does: "answers the exchange with a redirect (307) to where the answer is",
    proof: null,
    code: 324,
  },
  { name: "otherType", does: "answers the exchange with text/html", proof: null, code: 324 },
  { name: "notJson", does: "answers the exchange with what is no JSON", proof: null, code: 324 },
  { name: "memberTwice", does: "answers the exchange with an object that has a member twice", proof: null, code: 324 },
] as const satisfies readonly {
  readonly name: string;
  readonly does: string;
  readonly proof: ProviderProof | null;
  readonly code: ErrorCode;
}[];

export type ProviderFault = (typeof providerFaults)[number]["name"];
