import type { Json, Objects } from "./objects.ts";

/** The user who made the request. The module runs with the rights of this user. */
export interface Caller {
  readonly userId: string;
  /** The user name. */
  readonly name: string;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly administrator: boolean;
  /** App names of the session. */
  readonly appNames: readonly string[];
  /** Alias of the database. */
  readonly database: string;
}

/** Services for macros and hooks. */
export interface Services {
  readonly caller: Caller;
  readonly objects: Objects;
  /** Writes one line to the server log. Parts that are not strings are written as JSON. */
  log(...parts: readonly unknown[]): void;
  /** The time of the database server, in milliseconds since 1970. */
  now(): Promise<number>;
  /** A pseudo-random number in [0, 1). Do not use it for secrets. */
  random(): number;
  /** A pseudo-random UUID, version 4. Do not use it for secrets. */
  uuid(): string;
}

/** Access rule: one of `groups` and one of `apps` must match. An absent list allows all. Administrators have access. */
export interface Access {
  readonly groups?: readonly string[];
  readonly apps?: readonly string[];
  /** Users besides administrators that can skip the execution checker (`?skipChecker=true`). */
  readonly skipCheck?: { readonly groups?: readonly string[]; readonly apps?: readonly string[] };
}

/** The argument of a macro's `check` and `run`. */
// oxlint-disable-next-line typescript/no-explicit-any -- Authors read input without casts, as they read JSON.
export interface MacroContext<Input = any> extends Services {
  /** The request body: any JSON, `undefined` if there is none. */
  readonly input: Input;
  /** Executes another macro with the caller's rights, in the same transaction. */
  call(name: string, input?: unknown): Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  /** Sets the status message of the response. */
  setStatusMessage(message: string): void;
}

// oxlint-disable-next-line typescript/no-explicit-any -- Authors read input without casts, as they read JSON.
export interface MacroDefinition<Input = any> {
  /** Default: administrators only. */
  readonly access?: "everyone" | Access;
  /** JSON Schema for the input. Input that does not match is refused with 307, before `check` and `run`. */
  readonly input?: boolean | { readonly [keyword: string]: Json };
  /** Execution checker. Any result other than `true` refuses the execution with 401. */
  readonly check?: (context: MacroContext<Input>) => unknown;
  /** Maximum duration in milliseconds. The server configuration sets the upper bound. */
  readonly timeout?: number;
  /** Memory limit in MiB. The server configuration sets the upper bound. */
  readonly memory?: number;
  /** `false` commits every write on its own; a later failure undoes none. Default: one transaction for all writes. */
  readonly transaction?: boolean;
  /** The result, or its promise, becomes `data` of the response. */
  readonly run: (context: MacroContext<Input>) => unknown;
}

/** Declares a module as a macro: `export default defineMacro({ … })`. The file name is the name of the macro. */
// oxlint-disable-next-line typescript/no-explicit-any -- Authors read input without casts, as they read JSON.
export function defineMacro<Input = any>(definition: MacroDefinition<Input>): MacroDefinition<Input> {
  return definition;
}
