export * from "./audit-events.ts";
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
export * from "./maintenance.ts";
export * from "./network.ts";
export { OwnUnit, type UnitOfWork } from "./unit-of-work.ts";
export * from "./request-context.ts";
export * from "./shared-reads.ts";
export * from "./store-time.ts";
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
