export { AesGcmKeyWrapping } from "./aes-gcm-key-wrapping.ts";
export { AesCbcHybridCipher, AesCtrChannelCipher } from "./channels/aes-ciphers.ts";
export { ForgeClientKeyParser } from "./channels/client-keys.ts";
export { RsaAnswerCipher, RsaCredentialsCipher, type RsaCredentialsCipherOptions } from "./channels/rsa-ciphers.ts";
export { NodeDigests, NodeRandomSource } from "./digests-and-random.ts";
export { JwtTokenSigner, JwtTokenVerifier } from "./jwt-tokens.ts";
export { NodeServerKeys } from "./node-server-keys.ts";
export { OtplibTimeTokens } from "./otplib-time-tokens.ts";
export { type Argon2Options, Argon2PasswordHasher, ListedBreachedPasswords } from "./passwords.ts";
