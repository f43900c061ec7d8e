import type { Serialization } from "@sallyport/contract";
import type { CallOptions } from "../requests/call-options.ts";
import type { MatchQuery, ObjectQuery } from "./object-query.ts";

export interface ObjectOptions extends CallOptions {
  /** How objects are written: `{ depth: 1 }`, `{ type: "custom", fields: ["Name", "Customer.City", "Customer.~UUID"] }`. With `oid` there is the id alone. */
  readonly serialization?: Serialization | undefined;
}

export interface CountOptions extends CallOptions {
  /** Which objects are counted; all unless given. */
  readonly query?: MatchQuery | undefined;
  /** `capped`: counting stops at 5,000, which costs less where more match. */
  readonly count?: "capped" | undefined;
}

export interface ListOptions extends ObjectOptions {
  /** Which objects are listed, and in which order; all by their ids unless given. */
  readonly query?: ObjectQuery | undefined;
  /** Objects on a page: 50 unless given, at most 1,000. */
  readonly perPage?: number | undefined;
  /** `capped`: counting stops at 5,000, which costs less where more match; `~CountCapped` tells. */
  readonly count?: "capped" | undefined;
}

export interface PageOptions extends ListOptions {
  /** Number of the page, from 0. */
  readonly page?: number | undefined;
  /** Instead of a number: `~Cursor` of the page before. It costs the same however far the list is, and skips and repeats nothing. */
  readonly cursor?: string | undefined;
}

export interface RecyclerOptions extends CallOptions {
  /** Objects on a page: 50 unless given, at most 1,000. */
  readonly perPage?: number | undefined;
  /** `~Cursor` of the page before; the first page unless given. */
  readonly cursor?: string | undefined;
}
