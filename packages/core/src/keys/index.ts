export { type KeyRefusal, keyRefusals } from "./key-refusal.ts";
export { keyOverlap, type KeyRingParts, KeyRings } from "./key-rings.ts";
export type { KeyRepository } from "./key-repository.ts";
export type { KeyWrapping } from "./key-wrapping.ts";
export type { PublicJwk } from "./public-jwk.ts";
export type { ServerKeyKind, ServerKeyPair, ServerPublicKey } from "./server-key.ts";
export type { ImportedKey, NewServerKey, ServerKeys } from "./server-keys.ts";
export type { StoredKey, WrappedKeyPair } from "./stored-key.ts";
