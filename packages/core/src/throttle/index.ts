export {
  delayAfter,
  type ExemptionGrant,
  exemptionRenewal,
  type ThrottleExemption,
  type ThrottleKey,
  type ThrottlePolicy,
  type ThrottleRepository,
  type ThrottleVerdict,
} from "./throttle-repository.ts";
