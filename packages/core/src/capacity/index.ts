export { BoundedQueue, NetworkSemaphore } from "./bounded-work.ts";
export * from "./database-limits.ts";
export { type Turn, type TurnLimits, Turns, type TurnTaker } from "./fair-turns.ts";
export { LoopShare } from "./loop-share.ts";
export { ProcessorBudget, type ProcessorBudgetOptions, usedUp } from "./processor-budget.ts";
export * from "./request-rates.ts";
