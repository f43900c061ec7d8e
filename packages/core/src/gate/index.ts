export type { Claim, Proof } from "./claim.ts";
export type { CountedCode } from "./counted-codes.ts";
export { type BeforeOpening, type Entry, Gate } from "./gate.ts";
export type { GuardedAttempt } from "./guarded-attempt.ts";
