export type { FactorSubject, SecondFactor, SecondFactorRule } from "./second-factor.ts";
export type { SecondFactorRepository } from "./second-factor-repository.ts";
