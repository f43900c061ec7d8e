export * from "./check-second-factors.ts";
export * from "./enrol-second-factor.ts";
export {
  FactorProofs,
  FactorSecrets,
  type FactorServices,
  type ConsumeProof,
  type TimeTokens,
} from "./factor-secrets.ts";
export { type FactorState, type OwnFactor, ownFactor, readSecondFactor } from "./own-factors.ts";
export * from "./prove-factor.ts";
export * from "./remove-second-factor.ts";
export * from "./second-factors.ts";
export * from "./take-second-factors.ts";
