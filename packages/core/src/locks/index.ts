export { GetLock, LockObject, type ObjectLock, UnlockObject } from "./lock-object.ts";
export type { Lock, LockRepository } from "./lock-repository.ts";
