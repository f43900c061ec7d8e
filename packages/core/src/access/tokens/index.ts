export * from "./log-in-with-token.ts";
export * from "./token-verifier.ts";
export * from "./tokens.ts";
