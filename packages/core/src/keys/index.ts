export { type AcceptedKey, KeyRings, type KeySupply } from "./key-rings.ts";
export {
  asciiBytes,
  asciiJson,
  asciiText,
  type KeyWrapping,
  maxSealedBytes,
  openJson,
  requireWrapping,
  type SealedPurpose,
  type SealedUse,
  sealJson,
} from "./key-sealing.ts";
export * from "./key-store.ts";
export * from "./rotate-key.ts";
export * from "./server-keys.ts";
