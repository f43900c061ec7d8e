import { type ErrorCode, explained, type Finding, findingsOf, isErrorCode, ServiceError } from "@sallyport/storage";

/**
 * Reason for a failed module. `invalid`: not a valid module. `threw`: uncaught error. `pending`: awaits a promise that
 * never settles. `result`: the result is not JSON. `ended`: cancelled, or lost its worker by its own fault. `evicted`:
 * another module caused the loss. Others: a limit is used up.
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
  | "evicted";

export interface MacroFaultOptions {
  /** Stack in the module's text: lines of `at function (name:line:column)`. */
  readonly trace?: string | undefined;
  /** Position of the first trace line in the module's text; both count from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** CPU milliseconds of the invocation so far. */
  readonly cpu?: number | undefined;
  readonly cause?: unknown;
}

/** A macro or hook failed. Message and trace come from the module or name a limit. They reveal no internals of the server. */
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

/** Maps the error of an execution for the client: the code that the module refused with, 706 if it was evicted, 710 if it failed. */
export function macroFailure(error: unknown): unknown {
  if (error instanceof MacroRefusal) {
    const refusal = new ServiceError(error.code, error.detail === undefined ? {} : { detail: error.detail });
    return explained(
      refusal,
      { ...moduleFinding, found: `No: ${error.code}. The log has its text.` },
      ...findingsOf(error),
    );
  }
  if (!(error instanceof MacroFault)) return error;
  const { kind, macro, message } = error;
  const options = { detail: `${macro}: ${message}`, cause: error };
  const failure =
    kind === "evicted" ? new ServiceError(706, { ...options, retryAfter: 1 }) : new ServiceError(710, options);
  return explained(failure, { ...moduleFinding, found: `No: ${macro} failed (${kind}). The log has the cause.` });
}

/** The text of a module may contain anything, so it is in the log only. */
const moduleFinding: Omit<Finding, "found"> = {
  asked: "Does the macro or hook accept the request?",
  hidesDetail: true,
};

/** A module refuses its request with a code of the catalogue: by `refuse(code, detail)`, or by an uncaught error of the host. */
export class MacroRefusal extends Error {
  override readonly name = "MacroRefusal";

  /** @param detail text of the module, for `debugMessage` and the log */
  constructor(
    readonly code: ErrorCode,
    readonly detail?: string,
  ) {
    super(`${code}${detail === undefined ? "" : ` ${detail}`}`);
  }
}

/** Codes about the app key, session or log-in. Clients respond to them with a new log-in. */
const callerCodes: readonly ErrorCode[] = [
  100, 101, 200, 201, 202, 203, 204, 205, 206, 208, 209, 210, 301, 302, 306, 309, 310, 315, 318, 340, 341, 342, 703,
];
/** Codes about the message itself, which is checked before any module runs. */
const messageCodes: readonly ErrorCode[] = [207, 305, 311, 312, 314, 699];
/** Codes about the server, its database or the request rate. */
const serverCodes: readonly ErrorCode[] = [607, 704, 705, 706, 799, 800];

const serviceCodes: ReadonlySet<number> = new Set([...callerCodes, ...messageCodes, ...serverCodes]);

/** Whether a module may refuse with this code: any code of the catalogue about the request itself. */
export function isRefusalCode(code: number): code is ErrorCode {
  return isErrorCode(code) && !serviceCodes.has(code);
}
