import type { Storage } from "@sallyport/storage";
import { type NewMacro, type MacroRemoval, MacroStore } from "../../src/index.ts";

/** A macro to put. */
export function macroNamed(name: string, more: Partial<NewMacro> = {}): NewMacro {
  return { name, text: `export default "${name}";`, language: "js", changedBy: "author", ...more };
}

export const removal: MacroRemoval = { changedBy: "author", expectedVersion: null };

/** Changes of macros, each in a transaction of its own. */
export function changesOf(storage: Pick<Storage, "transaction">) {
  return {
    put: (macro: NewMacro, expected: number | null) =>
      storage.transaction((r) => new MacroStore(r).put(macro, expected)),
    remove: (name: string, more: Partial<MacroRemoval> = {}) =>
      storage.transaction((r) => new MacroStore(r).remove(name, { ...removal, ...more })),
  };
}
