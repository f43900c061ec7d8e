export { delayAfter, type ThrottlePolicy } from "./throttle-policy.ts";
export type { ThrottleKey, ThrottleRepository, ThrottleVerdict } from "./throttle-repository.ts";
