import type { Fault } from "../configuration-error.ts";

/** Values that do not go together. */
export interface Contradiction extends Fault {
  /** Paths of the other values; if one of them is faulty itself, nothing can be said. */
  readonly against?: readonly string[];
}
