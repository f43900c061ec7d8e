export type { TokenClaims } from "./token-claims.ts";
export type { TokenSigner } from "./token-signer.ts";
export type { TokenExpectation, TokenVerifier } from "./token-verifier.ts";
