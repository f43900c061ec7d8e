import type { JsonValue } from "@sallyport/storage";

/** The text of a macro or hook: an ES module. */
export interface ModuleText {
  /** Macro name. Faults report positions as `name:line:column`. */
  readonly name: string;
  readonly code: string;
}

/** A module in JavaScript, ready for the sandbox. */
export interface MacroModule extends ModuleText {
  /** Whether it validates its inputs against a schema. */
  readonly checksInput: boolean;
}

/** The default export of a module. Functions are `true`. Not yet validated. */
export type MacroDeclaration = Readonly<Record<string, JsonValue>>;

/** Limits of an invocation. Nested invocations count against the limits of the outer one. */
export interface MacroLimits {
  /** CPU milliseconds. */
  readonly cpu: number;
  /** Total milliseconds, including waits for the host. */
  readonly timeout: number;
  /** Bytes. */
  readonly memory: number;
  readonly hostCalls: number;
  /** UTF-8 bytes of the result as JSON. */
  readonly resultBytes: number;
}

export interface MacroInvocation {
  readonly module: MacroModule;
  /** Name of the sandbox function that calls the module, such as `run` or `beforeSave`. It defines argument and result of `run`. */
  readonly driver: string;
  /** Argument of the driver. */
  readonly argument: JsonValue;
  readonly limits: MacroLimits;
}

/** A call from a module to the server. `argument` is untrusted JSON; the host validates it. */
export interface HostCall {
  readonly name: string;
  readonly argument: JsonValue;
}

/**
 * Answers the calls of modules. Calls of one invocation run one after another, in order. A `ServiceError` with
 * `isCatchable` is thrown inside the module, which may catch it. Any other error ends the invocation and is rethrown by
 * `invoke` unchanged.
 */
export interface MacroHost {
  answer(call: HostCall): Promise<JsonValue | undefined>;
  isCatchable(error: unknown): boolean;
  /** A log line of the module. The runtime limits number and length. */
  log(line: string): void;
}

/** Resources used by an invocation. */
export interface MacroUsage {
  /** CPU milliseconds, without nested invocations. */
  readonly cpu: number;
  readonly hostCalls: number;
}

export interface MacroOutcome {
  /** The result of the module; `undefined` if it returns nothing. */
  readonly result: JsonValue | undefined;
  /** Status message set by the module. */
  readonly statusMessage: string | undefined;
  readonly usage: MacroUsage;
}

/**
 * The lease of a worker for one execution and its nested invocations (macros called by macros, hooks of their writes).
 * A nested invocation begins while the host answers a call of the outer one. Each invocation has its own runtime.
 */
export interface MacroLease {
  /** Milliseconds in queues behind other invocations. They do not count against the execution time. */
  readonly waited: number;
  /**
   * Runs a module.
   *
   * @throws `MacroRefusal` if the module refuses with a code, `MacroFault` if it fails or exceeds a limit, or the error
   * of the host.
   */
  invoke(invocation: MacroInvocation, host: MacroHost): Promise<MacroOutcome>;
  /** Ends the lease. Invocations still running under it fail. */
  release(): void;
}

/** Runs macro texts in a sandbox that can reach only the given host. */
export interface MacroRuntime {
  /**
   * Reads the declaration of a module and converts its text to JavaScript. Runs the top level only, without a host.
   *
   * @throws `MacroFault` for an invalid module, or if its top level fails.
   */
  inspect(
    text: ModuleText,
    language: "js" | "ts",
  ): Promise<{ readonly declaration: MacroDeclaration; readonly module: ModuleText }>;
  /**
   * Leases a worker. 706 if none becomes free within `wait` milliseconds, or if the queue is full. `occupiesResources`: the
   * caller holds a shared resource such as a connection, and must not queue behind a long execution.
   */
  lease(wait: number, occupiesResources: boolean): Promise<MacroLease>;
  /** Number of running and of queued executions. */
  readonly load: { readonly busy: number; readonly waiting: number };
  close(): Promise<void>;
}

/** The execution around a use case. Hooks of its writes run under the same lease. */
export interface MacroExecution {
  readonly lease: MacroLease;
  /** Nesting depth of modules; 1 for the macro named by the client. */
  readonly depth: number;
  /** Deadline by `Date.now()`. */
  readonly deadline: number;
  /** Log allowance shared by all modules of the execution. */
  readonly lines: LineAllowance;
}

/** Maximum nesting depth of modules. */
export const maxExecutionDepth = 8;

const maxLines = 500;
const maxCharacters = 131_072;

/** Log limit of one execution, shared by all of its modules and calls. */
export class LineAllowance {
  private lines = 0;
  private characters = 0;

  /** The line to log: the given one, a final notice at the limit, then `null`. */
  take(line: string): string | null {
    if (this.lines > maxLines) return null;
    this.lines += 1;
    this.characters += line.length;
    if (this.lines <= maxLines && this.characters <= maxCharacters) return line;
    this.lines = maxLines + 1;
    return "further log lines of this execution are omitted";
  }
}
