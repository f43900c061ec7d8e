import type { JsonValue } from "../storage/index.ts";

/** The text of one macro or hook, an ES module. */
export interface ModuleText {
  /** The macro's name; faults name places in the text as `name:line:column`. */
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

/** What an entry may use up. Entries inside of an entry also use up what is left to that one. */
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

export interface MacroEntry {
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
 * Answers what a module asks for. Calls of one entry come one after the other, in the order in which they were made.
 * A `ServiceError` for which `isCatchable` is true is thrown inside of the module, which may catch it; anything else
 * that is thrown ends the entry, and comes out of `enter` as it is.
 */
export interface MacroHost {
  answer(call: HostCall): Promise<JsonValue | undefined>;
  isCatchable(error: unknown): boolean;
  /** A line that the module wrote. How many and how long they are is bounded by the runtime. */
  log(line: string): void;
}

/** What an entry used. */
export interface MacroUsage {
  /** Milliseconds of running, without those of entries inside. */
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
 * One execution, and everything that is entered on its way (macros called by macros, hooks of what they write), has one
 * thread. Entries nest: a second one is made while the host answers a call of the first. Each has a runtime of its own.
 */
export interface MacroPlace {
  /** Milliseconds for which others were before what was entered here. They do not count as time of the execution. */
  readonly waited: number;
  /**
   * Runs a module.
   *
   * @throws `MacroRefusal` when the module asks to be answered with a code, `MacroFault` when it failed or used up a
   * limit, or what the host threw.
   */
  enter(entry: MacroEntry, host: MacroHost): Promise<MacroOutcome>;
  /** Gives the place back; what still runs in it ends as a fault. */
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
   * A place to run in. 706 when none becomes free within `wait` milliseconds, or too many wait. `isHolding`: whether whoever has it keeps
   * others from something, such as a connection; he does not wait behind an execution that may take long.
   */
  reserve(wait: number, isHolding: boolean): Promise<MacroPlace>;
  /** How many executions have begun, and how many wait to begin. */
  readonly load: { readonly busy: number; readonly waiting: number };
  close(): Promise<void>;
}
