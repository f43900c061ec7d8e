/**
 * Why a module could not go on: its text is no module of ours (`invalid`), it threw (`threw`), waits for what nobody will
 * settle (`pending`), gave something that is no JSON (`result`), used up a limit, or its thread was lost: on
 * its own account (`ended`), or on that of another in the same thread (`displaced`).
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
  | "ended"
  | "displaced";

export interface MacroFaultOptions {
  /** Where in the module's text: lines of `at function (name:line:column)`. */
  readonly trace?: string | undefined;
  /** The line and the column of the module's text that the first line of the trace names; both count from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Milliseconds that the entry ran until then. */
  readonly cpu?: number | undefined;
  readonly cause?: unknown;
}

/** A macro or hook failed. Message and trace are the module's words or name a limit: they hold no word of the server's insides. */
export class MacroFault extends Error {
  override readonly name = "MacroFault";
  readonly kind: MacroFaultKind;
  /** Name of the module. */
  readonly macro: string;
  readonly trace: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly cpu: number | undefined;

  constructor(kind: MacroFaultKind, macro: string, message: string, options: MacroFaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.macro = macro;
    this.trace = options.trace;
    this.line = options.line;
    this.column = options.column;
    this.cpu = options.cpu;
  }
}
