import type { Repositories } from "@sallyport/core";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";

export type Departures = Repositories["departures"];

/** A fault in the port itself, made anew for every check. */
export function departing(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: (r: Repositories) => Partial<Departures>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ departures: makeFault(r) }));
}

export const together = "bring back what went together, whichever of it is asked for";
