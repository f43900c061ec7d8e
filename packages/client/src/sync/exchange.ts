import type { PullPageData, PullRequestData, PushRequestData, PushResultData } from "@sallyport/contract";
import type { SallyportClient } from "../client.ts";
import { TransportError } from "../errors.ts";
import type { MatchQuery } from "../objects.ts";
import { Retries, type RetryOptions } from "../transport/retries.ts";

export interface ExchangeOptions extends RetryOptions {
  /** A client with a session, or any sender of its requests. */
  readonly client: Pick<SallyportClient, "request">;
  /** Name of the schema. */
  readonly schema: string;
  /** Restricts the schema further: `where` and `oids`. Another query starts again from the beginning. */
  readonly query?: MatchQuery | undefined;
  /** Changes of a page. Default: that of the schema. */
  readonly limit?: number | undefined;
  /** Milliseconds of a request, in addition to `wait`. Default: 60,000. */
  readonly timeout?: number | undefined;
}

/** Changes of the server, of a pull or a push. */
export type Page = PullPageData;

const usualTimeout = 60_000;

/** Sends the requests of a synchronization and repeats them after broken connections and failures that pass. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #retries: Retries;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#retries = new Retries(options);
  }

  async pull(request: Pick<PullRequestData, "syncVersion" | "cursor" | "wait">, signal?: AbortSignal): Promise<Page> {
    const page = await this.#post<Page>("", request, { wait: request.wait, signal });
    return checked(page);
  }

  /** The answer has no page if the schema cannot be pulled. */
  async push(
    request: Pick<PushRequestData, "syncVersion" | "ops">,
  ): Promise<{ readonly results: PushResultData["results"]; readonly page: Page | undefined }> {
    const answer = await this.#post<PushResultData>("/push", request);
    const { results, changed } = answer as Partial<PushResultData>;
    if (!Array.isArray(results) || results.length !== request.ops.length) throw foreign();
    return { results, page: changed === undefined ? undefined : await checked(answer) };
  }

  /** Every request can be repeated: changes have ids, and a pull changes nothing. */
  async #post<Data>(
    part: string,
    body: object,
    { wait = 0, signal = this.#options.signal }: { wait?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<Data> {
    const { client, schema, query, limit, timeout = usualTimeout } = this.#options;
    const path = `/v1/sync/${encodeURIComponent(schema)}${part}`;
    const limits = { signal, timeout: timeout === 0 ? 0 : timeout + 1_000 * wait };
    // Repetitions are counted here.
    const request = { method: "POST", path, body: { ...body, query, limit }, ...limits, retries: 0 } as const;
    const { data } = await this.#retries.run(() => client.request<Data>(request));
    this.#retries.reset();
    return data;
  }
}

/** Verifies the shape and the checksum of a page. */
async function checked(page: Page): Promise<Page> {
  const { changed, deleted, excluded, hasMore, cursor, syncVersion } = page;
  const next = hasMore ? cursor : syncVersion;
  // Version 0 would start again, without end.
  if (![changed, deleted, excluded].every(Array.isArray) || typeof next !== "string" || next === "0") throw foreign();
  const lines = [
    ...changed.map((object) => `c ${object["~UUID"]} ${object["~Version"]}\n`),
    ...deleted.map(({ uuid, version }) => `d ${uuid} ${version}\n`),
    ...excluded.map((uuid) => `x ${uuid}\n`),
  ];
  // Browsers have no WebCrypto on pages from plain HTTP.
  const { subtle } = crypto as Partial<Crypto>;
  if (subtle === undefined) return page;
  const digest = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(lines.join(""))));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (hex !== page.checksum) throw foreign();
  return page;
}

const foreign = () => new TransportError("foreign-answer", { httpStatus: 200 });
