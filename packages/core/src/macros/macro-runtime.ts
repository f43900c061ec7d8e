import type { JsonValue } from "../storage/index.ts";

/** The text of one macro or hook, an ES module. */
export interface ModuleText {
  /** The macro's name; faults name positions in the text as `name:line:column`. */
  readonly name: string;
  readonly code: string;
}

/** A module as the sandbox takes it: its text in JavaScript. */
export interface MacroModule extends ModuleText {
  /** Whether it holds its inputs to a schema. */
  readonly checksInput: boolean;
}

/** What a module says about itself: the members of its default export. Functions are `true`. Nothing about it is judged yet. */
export type MacroDeclaration = Readonly<Record<string, JsonValue>>;

/** What an invocation may use. Nested invocations also use up what is left to the one around them. */
export interface MacroLimits {
  /** Milliseconds of running. */
  readonly cpu: number;
  /** Milliseconds in all, waiting for the host included. */
  readonly timeout: number;
  /** Bytes. */
  readonly memory: number;
  readonly hostCalls: number;
  /** UTF-8 bytes of the result as JSON. */
  readonly resultBytes: number;
}

export interface MacroInvocation {
  readonly module: MacroModule;
  /** How the module is called: the name of a function of the sandbox, such as `run` or `beforeSave`, that knows what its `run` takes and gives. */
  readonly driver: string;
  /** What that function is given. */
  readonly argument: JsonValue;
  readonly limits: MacroLimits;
}

/** What a module asks of the server. `argument` is JSON and nothing more: whoever answers judges it. */
export interface HostCall {
  readonly name: string;
  readonly argument: JsonValue;
}

/**
 * Answers what a module asks for. Calls of one invocation come one after the other, in the order in which they were made.
 * A `ServiceError` for which `isCatchable` is true is thrown inside of the module, which may catch it; anything else
 * that is thrown ends the invocation, and comes out of `invoke` as it is.
 */
export interface MacroHost {
  answer(call: HostCall): Promise<JsonValue | undefined>;
  isCatchable(error: unknown): boolean;
  /** A line that the module wrote. How many and how long they are is bounded by the runtime. */
  log(line: string): void;
}

/** What an invocation used. */
export interface MacroUsage {
  /** Milliseconds of running, without those of nested invocations. */
  readonly cpu: number;
  readonly hostCalls: number;
}

export interface MacroOutcome {
  /** What the module gave; `undefined` when that is nothing. */
  readonly result: JsonValue | undefined;
  /** The status message that the module chose. */
  readonly statusMessage: string | undefined;
  readonly usage: MacroUsage;
}

/**
 * The lease of a thread for one execution and everything that it invokes (macros called by macros, hooks of what they
 * write). Invocations nest: a second one begins while the host answers a call of the first. Each has a runtime of its own.
 */
export interface MacroLease {
  /** Milliseconds for which its invocations waited behind others. They do not count as time of the execution. */
  readonly waited: number;
  /**
   * Runs a module.
   *
   * @throws `MacroRefusal` when the module asks to be answered with a code, `MacroFault` when it failed or used up a
   * limit, or what the host threw.
   */
  invoke(invocation: MacroInvocation, host: MacroHost): Promise<MacroOutcome>;
  /** Ends the lease; what still runs under it ends as a fault. */
  release(): void;
}

/** Runs the text of macros, which can reach nothing but the host that it is given. */
export interface MacroRuntime {
  /**
   * Reads what a module declares, and makes JavaScript of it. Runs its top level alone, without a host.
   *
   * @throws `MacroFault` for a text that is no module, or whose top level fails.
   */
  inspect(
    text: ModuleText,
    language: "js" | "ts",
  ): Promise<{ readonly declaration: MacroDeclaration; readonly module: ModuleText }>;
  /**
   * Leases a thread. 706 when none becomes free within `wait` milliseconds, or too many wait. `isHolding`: the caller holds
   * something others need, such as a connection, and does not wait behind an execution that may take long.
   */
  lease(wait: number, isHolding: boolean): Promise<MacroLease>;
  /** How many executions have begun, and how many wait to begin. */
  readonly load: { readonly busy: number; readonly waiting: number };
  close(): Promise<void>;
}

/** The execution that a use case was called from; hooks of what it does run under the same lease. */
export interface MacroExecution {
  readonly lease: MacroLease;
  /** How many modules called one another until here: 1 for the macro that the client named. */
  readonly depth: number;
  /** When it has to be over, by `Date.now()`. */
  readonly deadline: number;
  /** What its modules may write into the log, all together. */
  readonly lines: LineAllowance;
}

/** How deep modules may call one another. */
export const deepestExecution = 8;

const mostLines = 500;
const mostCharacters = 131_072;

/** How much the modules of one execution may write into the log, however many they are and however often they are called. */
export class LineAllowance {
  private lines = 0;
  private characters = 0;

  /** What is to be written for a line: itself, once that further ones are left out, and then nothing. */
  take(line: string): string | null {
    if (this.lines > mostLines) return null;
    this.lines += 1;
    this.characters += line.length;
    if (this.lines <= mostLines && this.characters <= mostCharacters) return line;
    this.lines = mostLines + 1;
    return "further lines of this execution are left out";
  }
}
