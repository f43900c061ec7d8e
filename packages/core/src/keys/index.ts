export { type AcceptedKey, KeyRings, type KeySupply } from "./key-rings.ts";
export { type KeyWrapping, openJson, sealJson } from "./key-sealing.ts";
export { keyRingKind, KeyStore, type StoredKey, type WrappedKeyPair } from "./key-store.ts";
export { type KeyRotation, RotateKey, type RotateKeyInput, type RotationRefusal } from "./rotate-key.ts";
export {
  type ImportedKey,
  type KeyRefusal,
  keyRefusals,
  type NewServerKey,
  type PublicJwk,
  type ServerKeyKind,
  type ServerKeyPair,
  type ServerKeys,
  type ServerPublicKey,
} from "./server-keys.ts";
