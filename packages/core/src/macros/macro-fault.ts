/**
 * Why a module could not go on: its text is no module of ours (`invalid`), it threw (`threw`), waits for what nobody will
 * settle (`pending`), gave something that is no JSON (`result`), used up a limit, or its thread was lost (`ended`).
 */
export type MacroFaultKind =
  | "invalid"
  | "threw"
  | "pending"
  | "result"
  | "cpu"
  | "timeout"
  | "memory"
  | "stack"
  | "hostCalls"
  | "resultBytes"
  | "ended";

/** A macro or hook failed. The message is what the module or the limit says, and holds no word of the server's insides. */
export class MacroFault extends Error {
  override readonly name = "MacroFault";
  readonly kind: MacroFaultKind;
  /** Name of the module. */
  readonly macro: string;
  /** Where in the module's text, as far as it is known: lines of `at function (name:line:column)`. For the log and the author. */
  readonly trace: string | undefined;

  constructor(kind: MacroFaultKind, macro: string, message: string, options: { readonly trace?: string | undefined; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.macro = macro;
    this.trace = options.trace;
  }
}
