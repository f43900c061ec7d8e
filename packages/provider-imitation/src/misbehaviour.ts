/** What can be wrong with the next id tokens of an imitation. */
export const tokenFaults = [
  "foreignKey",
  "unknownKey",
  "noKeyName",
  "unsigned",
  "signedByPublicKey",
  "otherAudience",
  "severalAudiences",
  "otherParty",
  "otherIssuer",
  "otherDirectory",
  "expired",
  "old",
  "ahead",
  "noExpiry",
  "noNonce",
  "otherNonce",
  "noSubject",
  "longSubject",
  "numericSubject",
  "listedSubject",
  "memberTwice",
  "accessTokenType",
  "noToken",
] as const;

export type TokenFault = (typeof tokenFaults)[number];

/** What can be wrong with the answers of an endpoint. */
export const answerFaults = [
  "serverError",
  "overloaded",
  "hangs",
  "hangsAfterHead",
  "trickles",
  "huge",
  "endless",
  "redirectsInside",
  "redirectsToItself",
  "redirectsToAnswer",
  "otherType",
  "notJson",
  "list",
  "memberTwice",
  "compressed",
  "malformed",
  "closes",
  "empty",
  "refusesClient",
] as const;

export type AnswerFault = (typeof answerFaults)[number];

/** What can be wrong with what Facebook says of an access token. */
export const debugFaults = ["otherApp", "otherUser", "notValid", "expired", "noUser", "otherKind"] as const;

export type DebugFault = (typeof debugFaults)[number];

export const endpoints = ["token", "keys", "debug", "profile"] as const;

export type Endpoint = (typeof endpoints)[number];

export interface Misbehaviour {
  readonly idToken?: TokenFault;
  readonly debug?: DebugFault;
  /** By endpoint. */
  readonly answers?: Partial<Readonly<Record<Endpoint, AnswerFault>>>;
}
