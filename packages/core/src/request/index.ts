export * from "./audit-events.ts";
export { BoundedQueue, NetworkSemaphore } from "./bounded-work.ts";
export * from "./current-model.ts";
export {
  type ClientHash,
  Database,
  type DatabasePolicy,
  type DevicePolicy,
  type DatabaseSettings,
  type FilePolicy,
  type PolicyLimits,
  policyLimits,
} from "./database.ts";
export * from "./in-transaction.ts";
export * from "./count-request.ts";
export * from "./change-limits.ts";
export { DatabaseLimits, type EffectiveLimits, type LimitName, limitNames, type LimitPolicy } from "./limits.ts";
export * from "./maintenance.ts";
export * from "./network.ts";
export { ProcessorBudget, type ProcessorBudgetOptions, usedUp } from "./processor-budget.ts";
export { type RateKind, type RateLimit, type RatePolicy, RequestRates, rateKinds } from "./request-rates.ts";
export { OwnUnit, type UnitOfWork } from "./unit-of-work.ts";
export * from "./request-context.ts";
export * from "./shared-reads.ts";
export * from "./store-time.ts";
export { LoopShare } from "./loop-share.ts";
export { type Turn, type TurnLimits, Turns, type TurnTaker } from "./fair-turns.ts";
export type { TurningRequest } from "./turn-storage.ts";
export * from "./administration-context.ts";
export { type ExplainedStep, type Explanation, explainRefusal } from "./explain-refusal.ts";
export {
  discardingWrites,
  recordRefusal,
  type RefusalOutcome,
  type RefusedRequest,
  type RequestCheck,
  requestChecks,
} from "./refusals.ts";
