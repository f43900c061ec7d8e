import type { Repositories } from "@sallyport/storage";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";

export type Deletion = Repositories["deletion"];

/** A fault in the port itself, created for every check. */
export function withDeletion(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: (r: Repositories) => Partial<Deletion>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ deletion: makeFault(r) }));
}

export const together = "restores a whole cascade from any of its objects";
