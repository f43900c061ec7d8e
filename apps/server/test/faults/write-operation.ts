import type { CallName } from "@sallyport/testing/faults";
import type { Request, FaultFixture } from "./fault-fixture.ts";

/** A writing request, and its visible state in the storage. */
export interface Scene {
  readonly request: Request;
  /** The state of the write: absent, whole, or a description. */
  state(): Promise<unknown>;
}

/** A writing route. */
export interface WriteOperation {
  readonly title: string;
  /** The call that completes the write: a failure before it leaves nothing. */
  readonly done: CallName;
  /** A call that meets the lock of another session, if the route reports it. */
  readonly locks?: CallName;
  /** The code of all failures inside the transaction; default: that of the fault. */
  readonly failure?: number;
  /** The code if the storage refuses the write; default: 706. */
  readonly refusal?: number;
  /** The call with that code; default: all of the write. */
  readonly refusedCall?: CallName;
  /** Prepares its own state, without faults. */
  prepare(fixture: FaultFixture): Promise<Scene>;
}

/** Names a state that is one of two. */
export function either(actual: unknown, absent: unknown, whole: unknown): unknown {
  const text = JSON.stringify(actual);
  if (text === JSON.stringify(absent)) return "absent";
  return text === JSON.stringify(whole) ? "whole" : actual;
}
