export type { AuthenticationAttempt, CountedCode, GuardedAttempt, Proof } from "./authentication-attempt.ts";
export * from "./gate.ts";
export { providerUserKey, sessionUserKey } from "./user-keys.ts";
