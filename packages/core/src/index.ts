export * from "./access/index.ts";
export * from "./administration/index.ts";
export * from "./archive/index.ts";
export {
  BoundedQueue,
  DatabaseLimits,
  type EffectiveLimits,
  type LimitName,
  limitNames,
  type LimitPolicy,
  LoopShare,
  NetworkSemaphore,
  ProcessorBudget,
  type ProcessorBudgetOptions,
  type RateKind,
  rateKinds,
  type RateLimit,
  type RatePolicy,
  RequestRates,
  type Turn,
  type TurnLimits,
  Turns,
  type TurnTaker,
  usedUp,
} from "./capacity/index.ts";
export * from "./classes/index.ts";
export * from "./execution/index.ts";
export * from "./files/index.ts";
export * from "./identities/index.ts";
export * from "./keys/index.ts";
export * from "./macros/index.ts";
export * from "./mail/index.ts";
export * from "./model/index.ts";
export * from "./objects/index.ts";
export * from "./repetition/index.ts";
export * from "./request/index.ts";
export * from "./resealing/index.ts";
export * from "./sync/index.ts";
export * from "./verification/index.ts";
export type { Services, Settings } from "./services.ts";
