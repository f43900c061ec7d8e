export * from "./token-verifier.ts";
export * from "./tokens.ts";
