import type { Repositories } from "@sallyport/core";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";

export type Deletion = Repositories["deletion"];

/** A fault in the port itself, made anew for every check. */
export function withDeletion(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: (r: Repositories) => Partial<Deletion>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ deletion: makeFault(r) }));
}

export const together = "bring back what went together, whichever of it is asked for";
