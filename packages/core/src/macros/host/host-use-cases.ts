import type { DeleteObject } from "../../departures/delete-object.ts";
import type { LockObject, UnlockObject } from "../../locks/lock-object.ts";
import type { CreateObject } from "../../objects/create-object.ts";
import type { GetObject } from "../../objects/get-object.ts";
import type { ListObjects } from "../../objects/list-objects.ts";
import type { GetReaders, SetReaders } from "../../objects/object-readers.ts";
import type { UpdateObject } from "../../objects/update-object.ts";

/** What modules can ask for, as use cases: what the caller may not do, they may not do either. */
export interface HostUseCases {
  readonly getObject: GetObject;
  readonly listObjects: ListObjects;
  readonly createObject: CreateObject;
  readonly updateObject: UpdateObject;
  readonly getReaders: GetReaders;
  readonly setReaders: SetReaders;
  readonly deleteObject: DeleteObject;
  readonly lockObject: LockObject;
  readonly unlockObject: UnlockObject;
}
