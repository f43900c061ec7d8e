export { BoundedQueue } from "./bounded-queue.ts";
export { inTransaction, JoinedUnit } from "./in-transaction.ts";
export { OwnUnit } from "./own-unit.ts";
export { administrationOf } from "./request-context.ts";
export type {
  AdministrationContext,
  AppKeyContext,
  ArrivingContext,
  ClientOrigin,
  RequestContext,
  SessionContext,
} from "./request-context.ts";
export type { UnitOfWork } from "./unit-of-work.ts";
