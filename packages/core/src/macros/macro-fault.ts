import { type ErrorCode, isErrorCode, ServiceError } from "../errors/index.ts";

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
  /** Milliseconds that the invocation ran until then. */
  readonly cpu?: number | undefined;
  readonly cause?: unknown;
}

/** A macro or hook failed. Message and trace are the module's words or name a limit: they hold no word of the server's insides. */
export class MacroFault extends Error {
  override readonly name = "MacroFault";
  readonly trace: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly cpu: number | undefined;

  /** @param macro name of the module */
  constructor(
    readonly kind: MacroFaultKind,
    readonly macro: string,
    message: string,
    { trace, line, column, cpu, cause }: MacroFaultOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.trace = trace;
    this.line = line;
    this.column = column;
    this.cpu = cpu;
  }
}

/** What a client is told of what ended an execution: the code that a module asked for, 706 for one that could not help it, or 710 for one that failed. */
export function macroFailure(error: unknown): unknown {
  if (error instanceof MacroRefusal)
    return new ServiceError(error.code, error.detail === undefined ? {} : { detail: error.detail });
  if (error instanceof MacroFault && error.kind === "displaced")
    return new ServiceError(706, { detail: `${error.macro}: ${error.message}`, retryAfter: 1, cause: error });
  if (error instanceof MacroFault)
    return new ServiceError(710, { detail: `${error.macro}: ${error.message}`, cause: error });
  return error;
}

/** A module wants its request answered with a code of the catalogue: `refuse(code, detail)`, or what the host threw and it let pass. */
export class MacroRefusal extends Error {
  override readonly name = "MacroRefusal";

  /** @param detail words of the module, for `debugMessage` and the log */
  constructor(
    readonly code: ErrorCode,
    readonly detail?: string,
  ) {
    super(`${code}${detail === undefined ? "" : ` ${detail}`}`);
  }
}

/** What clients take for a word about their key, session or log-in, and answer by logging in again. */
const aboutTheCaller: readonly ErrorCode[] = [
  100, 101, 200, 201, 202, 203, 204, 205, 206, 208, 209, 210, 301, 302, 306, 309, 310, 315, 318, 340, 341, 342, 703,
];
/** What the server says of the message itself, which it has read long before a module runs. */
const aboutTheMessage: readonly ErrorCode[] = [207, 305, 311, 312, 314, 699];
/** What the server says of itself and of its database, or of how often somebody asks. */
const aboutTheServer: readonly ErrorCode[] = [607, 704, 705, 706, 799, 800];

const kept: ReadonlySet<number> = new Set([...aboutTheCaller, ...aboutTheMessage, ...aboutTheServer]);

/** Whether a module may have a request answered with this code: any of the catalogue that says something about what was asked for. */
export function isRefusalCode(code: number): code is ErrorCode {
  return isErrorCode(code) && !kept.has(code);
}
