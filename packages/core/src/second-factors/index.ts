export {
  type AskingApplication,
  CheckSecondFactors,
  type FactorPassage,
  type ShownFactor,
} from "./check-second-factors.ts";
export { ConfirmSecondFactor } from "./confirm-second-factor.ts";
export { type EnrolledFactor, EnrolSecondFactor } from "./enrol-second-factor.ts";
export { FactorProofs, type SpendProof } from "./factor-proofs.ts";
export { FactorSecrets } from "./factor-secrets.ts";
export { factorSubjectOf } from "./factor-subject.ts";
export { ProveFactor } from "./prove-factor.ts";
export { type FactorState, ReadSecondFactor } from "./read-second-factor.ts";
export { RemoveSecondFactor } from "./remove-second-factor.ts";
export type { FactorSubject, SecondFactor, SecondFactorRule } from "./second-factor.ts";
export type { FactorKey, NewSecondFactor, SecondFactorRepository } from "./second-factor-repository.ts";
export type { TimeTokens } from "./time-tokens.ts";
export { ValidateSecondFactor } from "./validate-second-factor.ts";
