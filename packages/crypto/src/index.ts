export { Argon2PasswordHasher, type Argon2Options } from "./argon2-password-hasher.ts";
export { NodeDigests } from "./node-digests.ts";
export { NodeRandomSource } from "./node-random-source.ts";
