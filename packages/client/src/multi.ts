import { type FailureCode, TransportError } from "./errors.ts";
import type { CallOptions, ClientRequests, OnceOptions } from "./requests.ts";
import { readEnvelope, success } from "./transport/envelope.ts";
import { type QueryValues, withQuery } from "./transport/service-address.ts";
import type { Method } from "./transport/transport.ts";

/** One request of a multi request. */
export interface MultiItem {
  /** Default: `GET`. */
  readonly method?: Method | undefined;
  /** Path below the alias: `/v1/object/1A`. */
  readonly path: string;
  readonly query?: QueryValues | undefined;
  /** The body: any JSON. */
  readonly data?: unknown;
}

/** The result of an item: its data or its error code. */
export type MultiResult<Data = unknown> =
  | { readonly ok: true; readonly httpStatus: number; readonly data: Data; readonly message: string }
  | {
      readonly ok: false;
      readonly httpStatus: number;
      readonly code: FailureCode;
      /** Name of the error in the catalogue. */
      readonly message: string;
      /** Only if debug messages are enabled on the server. */
      readonly debugMessage?: string | undefined;
    };

export interface MultiOptions extends CallOptions, OnceOptions {
  /** Executes all items in one transaction. The first refusal undoes all, and the call rejects with its code. */
  readonly atomic?: boolean | undefined;
}

interface ItemsRequest extends CallOptions, OnceOptions {
  readonly path: string;
  readonly query: QueryValues;
  readonly body: readonly unknown[];
}

interface Result {
  readonly httpStatus: number;
  readonly result: unknown;
}

/** Sends many requests as one. Results have the order of the items. */
export async function sendMany<Data>(
  requests: ClientRequests,
  items: readonly MultiItem[],
  { atomic = false, ...limits }: MultiOptions,
): Promise<MultiResult<Data>[]> {
  const body = items.map(({ method = "GET", path, query, data }) => ({ method, path: withQuery(path, query), data }));
  const query = atomic ? { atomic } : {};
  return sendItems(requests, { ...limits, path: "/v1/multi", query, body });
}

/** Sends a request with several items, each of which has a result. */
export async function sendItems<Data>(requests: ClientRequests, options: ItemsRequest): Promise<MultiResult<Data>[]> {
  const { data, httpStatus } = await requests.json<readonly Result[]>({ ...options, method: "POST" });
  if (!Array.isArray(data) || data.length !== options.body.length)
    throw new TransportError("foreign-answer", { httpStatus });
  return data.map((each: Result) => resultOf<Data>(each));
}

function resultOf<Data>({ httpStatus, result }: Result): MultiResult<Data> {
  const envelope = readEnvelope(result);
  if (envelope === undefined) throw new TransportError("foreign-answer", { httpStatus });
  const { code, message, debugMessage, data } = envelope;
  if (code === success) return { ok: true, httpStatus, data: data as Data, message };
  return { ok: false, httpStatus, code, message, ...(debugMessage === undefined ? {} : { debugMessage }) };
}
