import { type FailureCode, TransportError } from "./errors.ts";
import type { CallOptions, ClientRequests } from "./requests.ts";
import { readEnvelope, success } from "./transport/envelope.ts";
import { type QueryValues, withQuery } from "./transport/service-address.ts";
import type { Method } from "./transport/transport.ts";

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

interface Result {
  readonly httpStatus: number;
  readonly result: unknown;
}

/** Sends many requests as one; the results come in their order. */
export async function sendMany<Data>(
  requests: ClientRequests,
  items: readonly MultiItem[],
  { atomic = false, ...limits }: MultiOptions,
): Promise<MultiResult<Data>[]> {
  const body = items.map(({ method = "GET", path, query, data }) => ({ method, path: withQuery(path, query), data }));
  const query = atomic ? { atomic } : {};
  const { data, httpStatus } = await requests.json<readonly Result[]>({
    ...limits,
    method: "POST",
    path: "/v1/multi",
    query,
    body,
  });
  if (!Array.isArray(data) || data.length !== items.length) throw new TransportError("foreign-answer", { httpStatus });
  return data.map((each: Result) => resultOf<Data>(each));
}

function resultOf<Data>({ httpStatus, result }: Result): MultiResult<Data> {
  const envelope = readEnvelope(result);
  if (envelope === undefined) throw new TransportError("foreign-answer", { httpStatus });
  const { code, message, debugMessage, data } = envelope;
  if (code === success) return { ok: true, httpStatus, data: data as Data, message };
  return { ok: false, httpStatus, code, message, ...(debugMessage === undefined ? {} : { debugMessage }) };
}
