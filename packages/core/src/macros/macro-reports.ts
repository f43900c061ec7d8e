import type { ErrorCode } from "../errors/index.ts";
import type { HookEvent } from "./accept-hook.ts";
import type { BrokenModule } from "./macro.ts";

/** One execution that a client asked for, when it is over. */
export interface ExecutedMacro {
  readonly alias: string;
  readonly macro: string;
  /** The code that the client is given; `0` on success. */
  readonly code: ErrorCode | 0;
  /** Milliseconds in all, also those in which it waited for a thread. */
  readonly milliseconds: number;
  /** Milliseconds that its own module ran; 0 if it did not come to an end. */
  readonly cpu: number;
}

/** One call of a hook, for all objects that it was given at once, when it is over. */
export interface RanHook {
  readonly alias: string;
  readonly hook: string;
  readonly on: HookEvent;
  /** The code with which it kept the request from going on; `0` for none. */
  readonly code: ErrorCode | 0;
  readonly milliseconds: number;
}

export interface MacroLine {
  readonly requestId: string;
  readonly alias: string;
  readonly macro: string;
  readonly line: string;
}

/** What the library of a database holds after it was read anew. */
export interface LoadedModules {
  readonly alias: string;
  readonly macros: number;
  readonly hooks: number;
  /** Those that are no macros, although they should be, and were not known as such before. */
  readonly broken: readonly (BrokenModule & { readonly origin: string })[];
  /** Names that the database and the folder have both; that of the database counts. */
  readonly shadowed: readonly string[];
}

/** What a hook refused of an answer that tells of something that was done already. */
export interface IgnoredFailure {
  readonly requestId: string;
  readonly alias: string;
  readonly error: Error;
}

/** Port: whoever wants to know what macros do. */
export interface MacroReports {
  executed(execution: ExecutedMacro): void;
  ranHook(run: RanHook): void;
  logged(line: MacroLine): void;
  loaded(modules: LoadedModules): void;
  ignored(failure: IgnoredFailure): void;
}
