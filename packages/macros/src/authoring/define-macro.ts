import type { MacroDefinition } from "./macro-definition.ts";

/** Says that a module is a macro: `export default defineMacro({ … })`. The macro is called as its file is. */
// oxlint-disable-next-line typescript/no-explicit-any
export function defineMacro<Input = any>(definition: MacroDefinition<Input>): MacroDefinition<Input> {
  return definition;
}
