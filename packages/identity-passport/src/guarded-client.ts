import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { ServiceError, strictJsonObject } from "@sallyport/storage";
import { BoundedQueue } from "@sallyport/core";
import { AddressRefused, guardedLookup, isLoopbackAddress, isPublicAddress, type Resolve } from "./public-address.ts";

export interface ProviderAnswer {
  readonly status: number;
  readonly json: JsonObject;
}

interface GuardedClientOptions {
  /** The base address of the fake providers. It can be plain HTTP on loopback; any other request uses HTTPS. */
  readonly fakeProviders: string | null;
  readonly allowPrivateAddresses: boolean;
  readonly resolve: Resolve;
}

/** Real responses have a few kilobytes. */
const answerBytes = 1_048_576;

/** Limits per origin: parallel and waiting requests. */
const perHost = {
  concurrency: 32,
  queueLimit: 128,
  detail: "Too many requests wait for the provider.",
  abortedDetail: "The request waited too long for earlier requests to the provider.",
  retryAfter: 5,
};

/** A new connection costs more than the request itself. */
const keepAlive = {
  keepAlive: true,
  maxSockets: perHost.concurrency,
  maxFreeSockets: perHost.concurrency,
  timeout: 10_000,
};

/**
 * HTTP client for all requests to providers: JSON of at most 1 MiB from public addresses, within the caller's time
 * limit, without redirects. Errors: 706 without a response in time, for a 5xx status and for 429; 324 for an invalid
 * response.
 */
export class GuardedClient {
  private readonly options: GuardedClientOptions;
  private readonly fakeProviders: string | null;
  private readonly agents = { http: new HttpAgent(keepAlive), https: new HttpsAgent(keepAlive) };
  private readonly hosts = new Map<string, HostState>();
  private readonly lookups;

  constructor(options: GuardedClientOptions) {
    this.options = options;
    this.fakeProviders = options.fakeProviders === null ? null : new URL(options.fakeProviders).origin;
    this.lookups = {
      outside: guardedLookup((address) => this.isAllowed(address, false), options.resolve),
      fakeProviders: guardedLookup((address) => this.isAllowed(address, true), options.resolve),
    };
  }

  /** Sends a GET request. Resolves for statuses from 400 to 499 too, except 429. */
  get(url: string, signal: AbortSignal): Promise<ProviderAnswer> {
    return this.ask(new URL(url), null, signal);
  }

  /** Posts a form. Results as of `get`. */
  post(url: string, form: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ProviderAnswer> {
    return this.ask(new URL(url), `${new URLSearchParams(form)}`, signal);
  }

  private async ask(url: URL, form: string | null, signal: AbortSignal): Promise<ProviderAnswer> {
    const { queue, isFake, isAllowed } = this.hostOf(url);
    if (url.protocol !== "https:" && !isFake) throw logInFailed("The URL of the provider is not HTTPS.");
    if (!isAllowed) throw notPublic();
    return queue.run(() => this.send(url, form, isFake, signal), signal);
  }

  private async send(url: URL, form: string | null, isFake: boolean, signal: AbortSignal): Promise<ProviderAnswer> {
    try {
      const message = await this.headOf(url, form, isFake, signal);
      return await answerOf(message);
    } catch (error) {
      throw signal.aborted ? unanswered("The provider did not respond in time.") : failureOf(error);
    }
  }

  private headOf(url: URL, form: string | null, isFake: boolean, signal: AbortSignal): Promise<IncomingMessage> {
    const isSecure = url.protocol === "https:";
    const options = {
      method: form === null ? "GET" : "POST",
      signal,
      agent: isSecure ? this.agents.https : this.agents.http,
      lookup: isFake ? this.lookups.fakeProviders : this.lookups.outside,
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": "sallyport",
        ...(form === null
          ? {}
          : { "content-type": "application/x-www-form-urlencoded", "content-length": Buffer.byteLength(form) }),
      },
    };
    const attempt = (isRetry: boolean): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const outgoing = (isSecure ? requestHttps : requestHttp)(url, options, resolve);
        outgoing.on("error", (error: NodeJS.ErrnoException) => {
          // The provider closed a kept-alive connection while this request was sent.
          if (error.code === "ECONNRESET" && outgoing.reusedSocket && !isRetry) resolve(attempt(true));
          else reject(error);
        });
        outgoing.end(form ?? undefined);
      });
    return attempt(false);
  }

  private isAllowed(address: string, isFake: boolean): boolean {
    return this.options.allowPrivateAddresses || (isFake ? isLoopbackAddress(address) : isPublicAddress(address));
  }

  private hostOf({ origin, hostname }: URL): HostState {
    const cached = this.hosts.get(origin);
    if (cached !== undefined) return cached;
    const isFake = origin === this.fakeProviders;
    const address = hostname.replace(/^\[(.*)\]$/, "$1");
    const host = {
      queue: new BoundedQueue(perHost),
      isFake,
      isAllowed: isIP(address) === 0 || this.isAllowed(address, isFake),
    };
    this.hosts.set(origin, host);
    return host;
  }
}

/** The state of an origin: scheme, host and port. */
interface HostState {
  /** Limits the connections and requests that a hanging provider can occupy. */
  readonly queue: BoundedQueue;
  readonly isFake: boolean;
  /** The verdict on a literal address. Names are checked when they are resolved. */
  readonly isAllowed: boolean;
}

async function answerOf(message: IncomingMessage): Promise<ProviderAnswer> {
  const status = message.statusCode ?? 0;
  const refused = refusalOf(status, message);
  if (refused !== null) {
    message.destroy();
    throw refused;
  }
  const json = strictJsonObject(await textOf(message));
  if (json === null) throw logInFailed("The response of the provider is not a JSON object.");
  return { status, json };
}

function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > answerBytes) message.destroy(logInFailed("The response of the provider is larger than 1 MiB."));
      else chunks.push(chunk);
    });
    message.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    message.on("error", reject);
  });
}

function refusalOf(status: number, { headers }: IncomingMessage): Error | null {
  if (status >= 500 || status === 429) return unanswered("The provider is unavailable or overloaded.");
  if (status < 200 || (status >= 300 && status < 400))
    return logInFailed("The response of the provider is a redirect.");
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(headers["content-type"] ?? ""))
    return logInFailed("The content type of the provider's response is not JSON.");
  if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? ""))
    return logInFailed("The response of the provider is compressed.");
  return null;
}

/** Reports only the code of a network error: its message can contain addresses and received data. */
function failureOf(error: unknown): Error {
  if (error instanceof Error && error.name === "ServiceError") return error;
  if (error instanceof AddressRefused) return notPublic();
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code.startsWith("HPE_")) return logInFailed("The response of the provider is not valid HTTP.");
  return unanswered(`The provider cannot be reached (${/^[A-Z_]{1,40}$/.test(code) ? code : "unknown reason"}).`);
}

const notPublic = () => unanswered("The address of the provider is not public.");

export type JsonObject = Readonly<Record<string, unknown>>;

/** Errors of providers. Details are fixed texts: they never contain data of a provider or browser, nor secrets. */
export const logInFailed = (detail: string): ServiceError => new ServiceError(324, { detail });

export const misconfigured = (detail: string): ServiceError => new ServiceError(608, { detail });

export const unanswered = (detail: string): ServiceError => new ServiceError(706, { detail, retryAfter: 5 });
