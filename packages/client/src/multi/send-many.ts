import { TransportError } from "../errors/transport-error.ts";
import type { ClientRequests } from "../requests/client-requests.ts";
import { readEnvelope, success } from "../transport/envelope.ts";
import { withQuery } from "../transport/service-address.ts";
import type { MultiItem, MultiOptions, MultiResult } from "./multi-item.ts";

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
