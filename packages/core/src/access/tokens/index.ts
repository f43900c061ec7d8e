export { LogInWithToken, type TokenLogInResult } from "./log-in-with-token.ts";
export type { TokenClaims, TokenExpectation, TokenSigner, TokenVerifier } from "./token-verifier.ts";
export { type TokenMode, type TokenParts, Tokens, type TokenSession } from "./tokens.ts";
