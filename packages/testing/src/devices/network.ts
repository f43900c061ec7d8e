import type { Fetch } from "@sallyport/client";
import type { Fault } from "./scenario.ts";

/** A synchronization request that a server has processed, or could have processed. */
export interface Exchange {
  readonly path: string;
  readonly request: JsonObject;
  /** `null` if no server responded. */
  readonly response: { readonly status: number; readonly restart: boolean; readonly body: JsonObject } | null;
  /** Whether the device received the response. */
  readonly arrived: boolean;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export interface NetworkPlan {
  readonly send: Fetch;
  readonly faults: readonly Fault[];
  /** Called between the response to a request and its arrival, with the number of the request. */
  readonly interrupt: (request: number) => Promise<void>;
  /** Ends the server and starts it again. */
  readonly kill: () => Promise<void>;
  /** Called before a request is sent. Its result is called with the exchange. */
  readonly watch: (request: JsonObject) => (exchange: Exchange) => void;
}

/** Fails the calls of an application that has ended. */
export class Crash extends Error {
  override readonly name = "Crash";

  constructor() {
    super("The application has ended.");
  }
}

const slowMilliseconds = 3;

/** The network of one run of an application. Only synchronization requests meet faults. */
export class Network {
  private requests = 0;
  private hasEnded = false;
  /** Requests that arrive after the device has given up. */
  private readonly late: (() => Promise<void>)[] = [];

  constructor(private readonly plan: NetworkPlan) {}

  /** Fails all later requests. */
  end(): void {
    this.hasEnded = true;
  }

  /** Delivers late requests. */
  async deliver(): Promise<void> {
    for (const send of this.late.splice(0)) await send();
  }

  readonly fetch: Fetch = async (input, init = {}) => {
    if (this.hasEnded) throw new Crash();
    const url = new URL(String(input));
    const at = url.pathname.indexOf("/v1/sync");
    if (at === -1) return this.plan.send(input, init);
    const number = this.requests;
    this.requests += 1;
    const response = await this.withFault(this.plan.faults[number] ?? "none", url, init, url.pathname.slice(at));
    await this.plan.interrupt(number);
    if (this.hasEnded) throw new Crash();
    return response();
  };

  /** Sends a request. The result returns its response, or throws if the device receives none. */
  private async withFault(fault: Fault, url: URL, init: RequestInit, path: string): Promise<() => Response> {
    const { signal: _signal, ...untimed } = init;
    const send = (arrives: boolean, request = init) => this.exchange(url, request, path, arrives);
    const fails = () => {
      throw new TypeError(`The network failed: ${fault}.`);
    };
    switch (fault) {
      case "lost":
        return fails;
      case "late":
        this.late.push(async () => void (await send(false, untimed).catch(() => undefined)));
        return fails;
      case "unanswered":
        await send(false);
        return fails;
      case "twice":
        await send(false);
        return responseOf(await send(true));
      case "cut": {
        const { bytes, ...head } = await send(false);
        return responseOf({ ...head, bytes: bytes.slice(0, bytes.length / 2) });
      }
      case "killed": {
        const sending = send(true).catch(() => null);
        await this.plan.kill();
        const response = await sending;
        return response === null ? fails : responseOf(response);
      }
      case "slow":
        await new Promise((resolve) => {
          setTimeout(resolve, slowMilliseconds);
        });
        return responseOf(await send(true));
      default:
        return responseOf(await send(true));
    }
  }

  private async exchange(url: URL, init: RequestInit, path: string, arrived: boolean): Promise<RawResponse> {
    const request = typeof init.body === "string" ? (JSON.parse(init.body) as JsonObject) : {};
    const note = this.plan.watch(request);
    try {
      const response = await this.plan.send(url, init);
      const { status, headers } = response;
      const bytes = new Uint8Array(await response.arrayBuffer());
      const restart = headers.get("sync-restart") === "1";
      note({ path, request, response: { status, restart, body: parsed(bytes) }, arrived });
      return { status, headers: new Headers(headers), bytes };
    } catch (error) {
      note({ path, request, response: null, arrived: false });
      throw error;
    }
  }
}

interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function responseOf({ bytes, status, headers }: RawResponse): () => Response {
  return () => new Response(bytes, { status, headers });
}

function parsed(bytes: Uint8Array): JsonObject {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
  } catch {
    return {};
  }
}
