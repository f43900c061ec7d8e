import type { SessionPolicy, ThrottlePolicy } from "@sallyport/core";
import type { Contradiction } from "./contradiction.ts";

/** Limits of sessions that do not go together. `at` is the path of the section, `against` that of the common values. */
export function* sessionContradictions(policy: SessionPolicy, at: string, common: string): Generator<Contradiction> {
  const against = (member: string): string[] => [`${at}.${member}`, `${common}.${member}`];
  if (policy.idleTimeout > policy.absoluteLifetime) {
    yield {
      path: `${at}.idleTimeout`,
      reason: "must not be longer than absoluteLifetime",
      against: [...against("idleTimeout"), ...against("absoluteLifetime")],
    };
  }
  if (policy.limit > 0 && policy.perUserLimit > policy.limit) {
    yield {
      path: `${at}.perUserLimit`,
      reason: "must not be greater than limit",
      against: [...against("limit"), ...against("perUserLimit")],
    };
  }
}

/** Delays that do not go together. */
export function* throttleContradictions(policy: ThrottlePolicy, at: string, common: string): Generator<Contradiction> {
  const against = (member: string): string[] => [`${at}.${member}`, `${common}.${member}`];
  if (policy.freeFailures === 0) return;
  if (policy.firstDelay > policy.longestDelay) {
    yield {
      path: `${at}.firstDelay`,
      reason: "must not be longer than longestDelay",
      against: [...against("firstDelay"), ...against("longestDelay")],
    };
  }
  if (policy.longestDelay > policy.forgetAfter) {
    yield {
      path: `${at}.longestDelay`,
      reason: "must not be longer than forgetAfter",
      against: [...against("longestDelay"), ...against("forgetAfter")],
    };
  }
}
