export { type AcceptedKey, KeyRings, type KeySupply } from "./key-rings.ts";
export { type KeyWrapping, openJson, sealJson } from "./key-sealing.ts";
export * from "./key-store.ts";
export * from "./rotate-key.ts";
export * from "./server-keys.ts";
