export { AcceptedTokenKeys } from "./accepted-token-keys.ts";
export * from "./token-verifier.ts";
export * from "./tokens.ts";
