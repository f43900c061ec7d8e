export { delayAfter, type ThrottlePolicy } from "./throttle-policy.ts";
export {
  type ExemptionGrant,
  exemptionRenewal,
  type ThrottleExemption,
  type ThrottleKey,
  type ThrottleRepository,
  type ThrottleVerdict,
} from "./throttle-repository.ts";
