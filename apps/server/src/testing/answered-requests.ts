import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestObserver, RequestRecord } from "@sallyport/http";

/** A request that was answered, with the mode of its credential. */
export interface AnsweredRequest extends RequestRecord {
  /** `null` without a credential. */
  readonly mode: string | null;
}

const requestId = "x-request-id";

/** Tells listeners about answered requests. */
export class AnsweredRequests implements RequestObserver {
  private readonly listeners = new Set<(request: AnsweredRequest) => void>();
  /** By credential. */
  private readonly modes = new Map<string, string>();
  /** By request id. */
  private readonly arrived = new Map<string, string | null>();

  subscribe(listener: (request: AnsweredRequest) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Names the mode of a credential. A header alone does not tell them all apart. */
  nameMode(credential: string, mode: string): void {
    this.modes.set(credential, mode);
  }

  arrives({ headers }: IncomingMessage): void {
    if (this.listeners.size === 0) return;
    headers[requestId] ??= randomUUID();
    this.arrived.set(String(headers[requestId]), this.modeOf(headers));
  }

  answered(record: RequestRecord): void {
    const mode = this.arrived.get(record.requestId) ?? null;
    this.arrived.delete(record.requestId);
    for (const listener of this.listeners) listener({ ...record, mode });
  }

  private modeOf(headers: IncomingMessage["headers"]): string | null {
    for (const [header, usual] of usualModes) {
      const credential = headers[header];
      if (typeof credential === "string" && credential !== "") return this.modes.get(credential) ?? usual;
    }
    return null;
  }
}

const usualModes = [
  ["sessionid", "session"],
  ["authorization", "token"],
  ["secure-token", "secure"],
] as const;
