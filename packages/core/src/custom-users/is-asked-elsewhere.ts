import type { HookCaller } from "../hooks/hook-caller.ts";
import type { ObjectHooks } from "../hooks/object-hooks.ts";

/** Whether a hook decides who custom users are, so that their passwords are kept elsewhere. */
export async function isAskedElsewhere(hooks: ObjectHooks, caller: HookCaller): Promise<boolean> {
  const active = await hooks.current(caller);
  return (active?.authenticate ?? null) !== null;
}
