import type { HookDeclaration } from "./accept-hook.ts";
import type { MacroLimits, MacroModule } from "./macro-runtime.ts";

/** Who besides administrators: whoever meets all that is said. */
export interface MacroAccess {
  /** Names of user groups; the caller is in one of them. `null` asks for none. */
  readonly groups: readonly string[] | null;
  /** App names; the session was opened for one of them. `null` asks for none. */
  readonly apps: readonly string[] | null;
}

export interface Macro {
  readonly kind: "macro";
  readonly name: string;
  readonly module: MacroModule;
  /** Who may execute it; `null`: administrators only. */
  readonly access: MacroAccess | null;
  /** Who may do so without its execution checker; `null`: administrators only. */
  readonly skipCheck: MacroAccess | null;
  readonly transaction: boolean;
  readonly limits: MacroLimits;
  /** Whether it can be told the names of the caller and of the caller's groups, which costs a look-up: its text holds the word. */
  readonly readsCaller: boolean;
}

/** A module that the server calls by itself, and clients never. */
export interface HookModule extends Pick<Macro, "name" | "module" | "limits" | "readsCaller"> {
  readonly kind: "hook";
  readonly hook: HookDeclaration;
}

/** A text under the name of a macro that is none. */
export interface BrokenModule {
  readonly kind: "broken";
  readonly name: string;
  readonly fault: Error;
  /** Whether that may say something about the machine and nothing about the text, so that another look may find it good. */
  readonly passing: boolean;
  /** The hook that it was before it broke, or is by its name alone. What that guards stays guarded: it is called, and fails. */
  readonly hook?: HookDeclaration;
}

export type CalledHook = HookModule | (BrokenModule & { readonly hook: HookDeclaration });

export type LibraryModule = Macro | HookModule | BrokenModule;

export function isMacroName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text);
}
