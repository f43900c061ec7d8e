import type { JsonValue } from "@sallyport/storage";
import type { HookDeclaration } from "./accept-hook.ts";
import type { MacroLimits, MacroModule } from "./macro-runtime.ts";

/** Conditions for access; all must be met. Administrators always have access. */
export interface MacroAccess {
  /** Names of user groups; the caller must be in one of them. `null`: no condition. */
  readonly groups: readonly string[] | null;
  /** App names; the session must have one of them. `null`: no condition. */
  readonly apps: readonly string[] | null;
}

export interface Macro {
  readonly kind: "macro";
  readonly name: string;
  readonly module: MacroModule;
  /** Access to the macro; `null`: administrators only. */
  readonly access: MacroAccess | null;
  /** Access without the execution checker; `null`: administrators only. */
  readonly skipCheck: MacroAccess | null;
  readonly transaction: boolean;
  /** JSON Schema of the input. Without it, any input. */
  readonly input?: JsonValue;
  readonly limits: MacroLimits;
  /** Whether the text contains `caller`. If not, the look-up of caller and group names is skipped. */
  readonly readsCaller: boolean;
}

/** A module called by the server only, never by clients. */
export interface HookModule extends Pick<Macro, "name" | "module" | "limits" | "readsCaller"> {
  readonly kind: "hook";
  readonly hook: HookDeclaration;
}

/** A text with a macro name that is not a valid module. */
export interface BrokenModule {
  readonly kind: "broken";
  readonly name: string;
  readonly fault: Error;
  /** Whether the fault may be transient, so that another inspection may succeed. */
  readonly transient: boolean;
  /** The hook before it broke, or by its name. A broken hook is still called and fails, so that it keeps guarding. */
  readonly hook?: HookDeclaration;
}

export type CalledHook = HookModule | (BrokenModule & { readonly hook: HookDeclaration });

export type LibraryModule = Macro | HookModule | BrokenModule;

export function isMacroName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text);
}
