import type { Serialization } from "@sallyport/contract";
import type { CallOptions } from "../requests/call-options.ts";

export interface ObjectOptions extends CallOptions {
  /** How objects are written: `{ depth: 1 }`. */
  readonly serialization?: Serialization | undefined;
}

export interface ListOptions extends ObjectOptions {
  /** Objects on a page: 50 unless given, at most 1,000. */
  readonly perPage?: number | undefined;
  /** Which objects are listed; all unless given. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

export interface PageOptions extends ListOptions {
  /** Number of the page, from 0. */
  readonly page?: number | undefined;
}
