export type { FactorSubject, SecondFactor, SecondFactorRule } from "./second-factor.ts";
export type { FactorKey, NewSecondFactor, SecondFactorRepository } from "./second-factor-repository.ts";
export type { TimeTokens } from "./time-tokens.ts";
