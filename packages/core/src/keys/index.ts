export { type AcceptedKey, KeyRings, type KeySupply } from "./key-rings.ts";
export { asciiBytes, asciiText, type KeyWrapping, openJson, requireWrapping, sealJson } from "./key-sealing.ts";
export * from "./key-store.ts";
export * from "./rotate-key.ts";
export * from "./server-keys.ts";
