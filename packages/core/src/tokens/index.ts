export { LogInWithToken, type TokenLogInResult } from "./log-in-with-token.ts";
export type { TokenClaims } from "./token-claims.ts";
export type { TokenSigner } from "./token-signer.ts";
export type { TokenExpectation, TokenVerifier } from "./token-verifier.ts";
export { type TokenMode, type TokenParts, Tokens, type TokenSession } from "./tokens.ts";
