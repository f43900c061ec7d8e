import { routeOf } from "../coverage/route-of.ts";
import { masked, maskedText } from "../matchers/secrets.ts";
import { envelopeOf, headerOf, type ReceivedResponse } from "../matchers/received-response.ts";
import type { AnsweredRequest } from "./answered-request.ts";

/** A request of an agent, with its response. */
export interface AgentExchange {
  readonly method: string;
  /** Without the alias. */
  readonly path: string;
  readonly alias: string;
  /** `null` without a session. */
  readonly mode: string | null;
  readonly user: string | null;
  /** The body before its encryption. */
  readonly sent: unknown;
  readonly response: ReceivedResponse;
  /** Milliseconds. */
  readonly duration: number;
}

/** Tells listeners what agents have seen of a server. */
export class AgentObserver {
  readonly #listeners = new Set<(request: AnsweredRequest) => void>();

  subscribe(listener: (request: AnsweredRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  answered({ method, path, alias, mode, user, sent, response, duration }: AgentExchange): void {
    const request: AnsweredRequest = {
      requestId: headerOf(response, "x-request-id") ?? "",
      method,
      alias,
      path: maskedText(path),
      route: routeOf(method, path),
      status: response.status,
      code: codeOf(response),
      mode,
      user,
      body: masked(sent),
      data: masked(envelopeOf(response)?.data),
      duration,
      hasFile: Buffer.isBuffer(sent),
      items: path.startsWith("/v1/multi") ? itemsOf(sent, response) : undefined,
    };
    for (const listener of this.#listeners) listener(request);
  }
}

interface SentItem {
  readonly method?: unknown;
  readonly path?: unknown;
}

interface ItemResult {
  readonly httpStatus: number;
  readonly result: unknown;
}

function itemsOf(sent: unknown, response: ReceivedResponse): NonNullable<AnsweredRequest["items"]> {
  const results = envelopeOf(response)?.data;
  if (!Array.isArray(sent) || !Array.isArray(results)) return [];
  return (results as readonly ItemResult[]).map(({ httpStatus, result }, index) => {
    const { method, path } = (sent[index] ?? {}) as SentItem;
    const isNamed = typeof method === "string" && typeof path === "string";
    return {
      method: isNamed ? method : null,
      route: isNamed ? routeOf(method, path) : null,
      status: httpStatus,
      code: codeOf({ status: httpStatus, body: result }),
    };
  });
}

/** The code of an envelope; 0 for a response without one. */
function codeOf(response: ReceivedResponse): number {
  return Number(envelopeOf(response)?.status.internalStatus ?? 0);
}
