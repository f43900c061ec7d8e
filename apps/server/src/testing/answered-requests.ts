import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { JsonText, type RequestObserver, type RequestRecord } from "@sallyport/http";

/** A request that was answered, with the parts that no log contains. They can contain credentials. */
export interface AnsweredRequest extends RequestRecord {
  /** Mode of the credential; `null` without one. */
  readonly mode: string | null;
  /** The user of the credential, as a test names it; `null` if it is unknown. */
  readonly user: string | null;
  /** With the alias and the query. */
  readonly path: string;
  /** The parsed and decrypted body; `undefined` without one, and for a file. */
  readonly body: unknown;
  /** `data` of a success; `undefined` if there is none. */
  readonly data: unknown;
  /** Whether the body was a file. */
  readonly hasFile: boolean;
}

/** The owner of a credential. */
interface Holder {
  readonly mode: string;
  readonly user: string | null;
}

/** A request in progress. */
interface Arrived {
  readonly response: ServerResponse;
  readonly path: string;
  readonly holder: Holder | null;
  body: unknown;
  data: unknown;
  hasFile: boolean;
}

const requestId = "x-request-id";

/** Tells listeners about answered requests. */
export class AnsweredRequests implements RequestObserver {
  private readonly listeners = new Set<(request: AnsweredRequest) => void>();
  /** By credential. */
  private readonly holders = new Map<string, Holder>();
  /** By request id. */
  private readonly arrived = new Map<string, Arrived>();

  subscribe(listener: (request: AnsweredRequest) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Names mode and user of a credential. A header alone does not tell all modes apart. */
  nameHolder(credential: string, mode: string, user: string | null): void {
    this.holders.set(credential, { mode, user });
  }

  arrives({ headers, url = "" }: IncomingMessage, response: ServerResponse): void {
    const header = headers[requestId];
    // The service replaces an id that it does not accept.
    if (typeof header !== "string" || !/^[\w.-]{1,64}$/.test(header) || this.arrived.has(header))
      headers[requestId] = randomUUID();
    const entry = {
      response,
      path: url,
      holder: this.holderOf(headers),
      body: undefined,
      data: undefined,
      hasFile: false,
    };
    this.arrived.set(String(headers[requestId]), entry);
  }

  /** Notes what the use case gets and returns. */
  note(id: string, parts: { readonly body?: unknown; readonly data?: unknown; readonly hasFile?: boolean }): void {
    const entry = this.arrived.get(id);
    if (entry === undefined) return;
    if (parts.hasFile === true) entry.hasFile = true;
    if ("body" in parts) entry.body = parts.body;
    if ("data" in parts)
      entry.data = parts.data instanceof JsonText ? JSON.parse(parts.data.pieces.join("")) : parts.data;
  }

  /** Closes the connection of a request without a response. */
  cut(id: string): void {
    this.arrived.get(id)?.response.destroy();
  }

  answered(record: RequestRecord): void {
    const { holder = null, path = "", body, data, hasFile = false } = this.arrived.get(record.requestId) ?? {};
    this.arrived.delete(record.requestId);
    const parts = { mode: holder?.mode ?? null, user: holder?.user ?? null, path, body, data, hasFile };
    for (const listener of this.listeners) listener({ ...record, ...parts });
  }

  private holderOf(headers: IncomingMessage["headers"]): Holder | null {
    for (const [header, usual] of usualModes) {
      const credential = headers[header];
      if (typeof credential === "string" && credential !== "")
        return this.holders.get(credential) ?? { mode: usual, user: null };
    }
    return null;
  }
}

const usualModes = [
  ["sessionid", "session"],
  ["authorization", "token"],
  ["secure-token", "secure"],
] as const;
