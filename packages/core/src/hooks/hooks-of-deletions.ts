import type { ActiveHooks } from "./active-hooks.ts";
import type { HookCaller } from "./hook-caller.ts";
import type { ObjectHooks } from "./object-hooks.ts";

/** The hooks of now if some of them have a say in deletions; otherwise `null`. */
export async function hooksOfDeletions(all: ObjectHooks, caller: HookCaller): Promise<ActiveHooks | null> {
  const active = await all.current(caller);
  return active === null || active.beforeDelete.length + active.afterDelete.length === 0 ? null : active;
}
