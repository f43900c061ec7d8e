import type { FailureCode } from "../errors/sallyport-error.ts";
import type { CallOptions } from "../requests/call-options.ts";
import type { QueryValues } from "../transport/service-address.ts";
import type { Method } from "../transport/transport.ts";

/** One request of many that are sent as one. */
export interface MultiItem {
  /** `GET` unless given. */
  readonly method?: Method | undefined;
  /** Below the alias: `/v1/object/1A`. */
  readonly path: string;
  readonly query?: QueryValues | undefined;
  /** The body, where there is one: any JSON. */
  readonly data?: unknown;
}

/** What became of an item: what it gave, or the code that it was refused with. */
export type MultiResult<Data = unknown> =
  | { readonly ok: true; readonly httpStatus: number; readonly data: Data; readonly message: string }
  | {
      readonly ok: false;
      readonly httpStatus: number;
      readonly code: FailureCode;
      /** What the catalogue calls it. */
      readonly message: string;
      /** Only of a server that is configured to explain itself. */
      readonly debugMessage?: string | undefined;
    };

export interface MultiOptions extends CallOptions {
  /** Does all items in one transaction; the first that is refused undoes them all, and the call rejects with its code. */
  readonly atomic?: boolean | undefined;
}
