export { type ChangeToAudit, entryEvent, operatorEvent, sessionEvent } from "./audit-events.ts";
export { BoundedQueue } from "./bounded-queue.ts";
export { currentModel, OutdatedModelError, requestModel, withCurrentModel } from "./current-model.ts";
export { type ClientHash, Database, type DatabasePolicy, type DatabaseSettings } from "./database.ts";
export { inTransaction, JoinedUnit } from "./in-transaction.ts";
export { OwnUnit } from "./own-unit.ts";
export {
  type AppKeyContext,
  type ArrivingContext,
  type ClientOrigin,
  type RequestContext,
  type SessionContext,
} from "./request-context.ts";
export { setMaintenance } from "./set-maintenance.ts";
export { StoreTime } from "./store-time.ts";
export type { UnitOfWork } from "./unit-of-work.ts";
export { type AdministrationContext, administrationOf } from "./administration-context.ts";
