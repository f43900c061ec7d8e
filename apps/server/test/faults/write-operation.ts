import type { CallName } from "@sallyport/storage-faults";
import type { Request, FaultFixture } from "./fault-fixture.ts";

/** A request that is about to write, and what can be seen of it in storage. */
export interface Scene {
  readonly request: Request;
  /** What is there of what the request writes: nothing, all, or what else it is. */
  state(): Promise<unknown>;
}

/** A route that writes. */
export interface WriteOperation {
  readonly title: string;
  /** The call with which it is done: what fails before it leaves nothing. */
  readonly done: CallName;
  /** A call that meets the lock of another session, if the route tells of that. */
  readonly locks?: CallName;
  /** The code of all failures from the transaction on; else it is that of the fault. */
  readonly failure?: number;
  /** Makes a scene of its own, beside the faults. */
  prepare(fixture: FaultFixture): Promise<Scene>;
}

/** What a state amounts to when it is either of two. */
export function either(actual: unknown, absent: unknown, whole: unknown): unknown {
  const text = JSON.stringify(actual);
  if (text === JSON.stringify(absent)) return "absent";
  return text === JSON.stringify(whole) ? "whole" : actual;
}
