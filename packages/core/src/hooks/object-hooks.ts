import type { ActiveHooks } from "./active-hooks.ts";
import type { HookCaller } from "./hook-caller.ts";

/** Port: who has a say when objects are written, found and shown. */
export interface ObjectHooks {
  /** The hooks of now, `null` for none; a promise only if they have to be looked up. */
  current(caller: HookCaller): ActiveHooks | null | Promise<ActiveHooks | null>;
  /** Takes note of a failure that the caller is not told of, because what was asked for is done. */
  ignored(caller: HookCaller, error: Error): void;
}

/** Nobody has. */
export const noHooks: ObjectHooks = { current: () => null, ignored: () => {} };
