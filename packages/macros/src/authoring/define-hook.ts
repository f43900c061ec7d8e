import type { HookDefinition } from "./hook-definition.ts";

/** Says that a module is a hook: `export default defineHook({ on: "beforeSave", classes: ["Invoice"], … })`. */
export function defineHook<Hook extends HookDefinition>(definition: Hook): Hook {
  return definition;
}
