export * from "./claim.ts";
export * from "./gate.ts";
export type { CountedCode, GuardedAttempt } from "./guarded-attempt.ts";
