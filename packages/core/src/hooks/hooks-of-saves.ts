import type { Sight } from "../objects/serialization-source.ts";
import { concerning } from "./concerning.ts";
import type { HookCaller } from "./hook-caller.ts";
import type { ObjectHooks } from "./object-hooks.ts";
import { SaveHooks } from "./save-hooks.ts";

/** The hooks that have a say in saving objects of these classes; `null` where there are none. */
export async function hooksOfSaves(
  all: ObjectHooks,
  caller: HookCaller,
  classNames: Iterable<string>,
  sight: Sight,
): Promise<SaveHooks | null> {
  const active = await all.current(caller);
  if (active === null) return null;
  const hooks = [...active.beforeSave, ...active.afterSave];
  for (const className of classNames)
    if (concerning(hooks, className, sight.model).length > 0) return new SaveHooks(active, sight);
  return null;
}
