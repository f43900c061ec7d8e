export type { Claim, Proof } from "./claim.ts";
export { type BeforeOpening, type Entry, Gate } from "./gate.ts";
export type { CountedCode, GuardedAttempt } from "./guarded-attempt.ts";
