export type { Claim, CountedCode, GuardedAttempt, Proof } from "./claim.ts";
export * from "./gate.ts";
