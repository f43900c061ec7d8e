import { ServiceError } from "../errors/service-error.ts";
import type { HookCaller } from "./hook-caller.ts";

/** Hooks that run because of what another hook does, and so on. */
const deepest = 8;

/** The context of what a hook does: 710 when too many hooks have called one another. */
export function deeper<Context extends HookCaller>(context: Context): Context {
  const hookDepth = (context.hookDepth ?? 0) + 1;
  if (hookDepth > deepest)
    throw new ServiceError(710, { detail: `More than ${deepest} hooks run inside of one another.` });
  return { ...context, hookDepth };
}
