import type { Json, Objects } from "./objects.ts";

/** Who asked for what runs. Everything a module does, it does with this user's rights. */
export interface Caller {
  readonly userId: string;
  /** The user's name. */
  readonly name: string;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly administrator: boolean;
  /** App names of the session. */
  readonly appNames: readonly string[];
  /** Alias of the database. */
  readonly database: string;
}

/** What every module is given. */
export interface Services {
  readonly caller: Caller;
  readonly objects: Objects;
  /** Writes a line to the server's log. Anything but texts is written as JSON. */
  log(...parts: readonly unknown[]): void;
  /** The time of the database in milliseconds since 1970. */
  now(): Promise<number>;
  /** A number from 0 to 1, without 1. Not for secrets. */
  random(): number;
  /** A random UUID. Not for secrets. */
  uuid(): string;
}

/** Who may execute a macro: a member of one of the groups, in a session with one of the app names; what is absent asks for nothing. */
export interface Access {
  readonly groups?: readonly string[];
  readonly apps?: readonly string[];
  /** Who may have the execution checker skipped (`?skipChecker=true`), besides administrators. */
  readonly skipCheck?: { readonly groups?: readonly string[]; readonly apps?: readonly string[] };
}

/** What `run` of a macro is given. */
// oxlint-disable-next-line typescript/no-explicit-any -- Authors read input without casts, as they read JSON.
export interface MacroContext<Input = any> extends Services {
  /** What the client sent: any JSON, or `undefined` when there was no body. */
  readonly input: Input;
  /** Executes another macro with the caller's rights, as a part of the same transaction. */
  call(name: string, input?: unknown): Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  /** Chooses the status message of the answer. */
  setStatusMessage(message: string): void;
}

// oxlint-disable-next-line typescript/no-explicit-any -- Authors read input without casts, as they read JSON.
export interface MacroDefinition<Input = any> {
  /** Absent: administrators only. */
  readonly access?: "everyone" | Access;
  /** A JSON Schema for the input; what does not match is answered 307 and never reaches `check` or `run`. */
  readonly input?: boolean | { readonly [keyword: string]: Json };
  /** The execution checker: anything but `true` refuses the execution with 401. */
  readonly check?: (context: MacroContext<Input>) => unknown;
  /** Milliseconds in all, at most what the server is configured for. */
  readonly timeout?: number;
  /** Mebibytes, at most what the server is configured for. */
  readonly memory?: number;
  /** `false`: every write is for itself, and stays when the macro fails afterwards. Otherwise all of them are one transaction. */
  readonly transaction?: boolean;
  /** What it gives, or the promise of it, becomes `data` of the answer. */
  readonly run: (context: MacroContext<Input>) => unknown;
}

/** Says that a module is a macro: `export default defineMacro({ … })`. The macro is called as its file is. */
// oxlint-disable-next-line typescript/no-explicit-any -- Authors read input without casts, as they read JSON.
export function defineMacro<Input = any>(definition: MacroDefinition<Input>): MacroDefinition<Input> {
  return definition;
}
