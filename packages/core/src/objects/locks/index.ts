export { GetLock, LockObject, type ObjectLock, UnlockObject } from "./lock-object.ts";
