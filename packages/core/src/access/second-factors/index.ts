export {
  type AskingApplication,
  CheckSecondFactors,
  type FactorPassage,
  type ShownFactor,
} from "./check-second-factors.ts";
export { ConfirmSecondFactor, type EnrolledFactor, EnrolSecondFactor } from "./enrol-second-factor.ts";
export { FactorProofs, type SpendProof } from "./factor-proofs.ts";
export { FactorSecrets, type TimeTokens } from "./factor-secrets.ts";
export { factorSubjectOf } from "./own-factors.ts";
export { ProveFactor, ValidateSecondFactor } from "./prove-factor.ts";
export { type FactorState, ReadSecondFactor } from "./read-second-factor.ts";
export { RemoveSecondFactor } from "./remove-second-factor.ts";
export {
  type FactorKey,
  factorRecord,
  type FactorSubject,
  type FoundFactor,
  type NewSecondFactor,
  type SecondFactor,
  secondFactorKind,
  type SecondFactorRule,
  SecondFactors,
} from "./second-factors.ts";
export {
  type ListedFactor,
  listSecondFactors,
  takeSecondFactors,
  type TakeSecondFactorsInput,
} from "./take-second-factors.ts";
