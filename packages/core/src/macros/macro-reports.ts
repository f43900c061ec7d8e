import type { ErrorCode } from "@sallyport/storage";
import type { HookEvent } from "./accept-hook.ts";
import type { BrokenModule } from "./macro.ts";

/** A finished macro execution of a client. */
export interface ExecutedMacro {
  readonly alias: string;
  readonly macro: string;
  /** The code returned to the client; `0` on success. */
  readonly code: ErrorCode | 0;
  /** Total milliseconds, including the wait for a worker. */
  readonly milliseconds: number;
  /** Milliseconds that its own module ran; 0 if it did not finish. */
  readonly cpu: number;
}

/** A finished hook call for one batch of objects. */
export interface RanHook {
  readonly alias: string;
  readonly hook: string;
  readonly on: HookEvent;
  /** The code that stopped the request; `0` on success. */
  readonly code: ErrorCode | 0;
  readonly milliseconds: number;
}

export interface MacroLine {
  readonly requestId: string;
  readonly alias: string;
  readonly macro: string;
  readonly line: string;
}

/** Contents of a library after a reload. */
export interface LoadedModules {
  readonly alias: string;
  readonly macros: number;
  readonly hooks: number;
  /** Broken modules not reported before. */
  readonly broken: readonly (BrokenModule & { readonly origin: string })[];
  /** Names in both the database and the folder. The database takes precedence. */
  readonly shadowed: readonly string[];
}

/** A hook refused the answer of a completed operation. */
export interface IgnoredFailure {
  readonly requestId: string;
  readonly alias: string;
  readonly error: Error;
}

/** Port: reports macro and hook activity. */
export interface MacroReports {
  executed(execution: ExecutedMacro): void;
  ranHook(run: RanHook): void;
  logged(line: MacroLine): void;
  loaded(modules: LoadedModules): void;
  ignored(failure: IgnoredFailure): void;
}
