export { GetLock } from "./get-lock.ts";
export { LockObject } from "./lock-object.ts";
export type { Lock, LockRepository } from "./lock-repository.ts";
export type { ObjectLock } from "./object-lock.ts";
export { UnlockObject } from "./unlock-object.ts";
