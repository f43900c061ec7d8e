export { delayAfter, type ThrottlePolicy } from "./throttle-policy.ts";
export type { Attempt, ThrottleKey, ThrottleRepository } from "./throttle-repository.ts";
