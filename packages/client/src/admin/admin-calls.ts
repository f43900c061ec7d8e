import { headerNames } from "@sallyport/contract/header-names";
import { NotLoggedInError, TransportError } from "../errors.ts";
import { jsonText } from "../json.ts";
import { withinLimits, type CallLimits } from "../transport/deadline.ts";
import { successOf } from "../transport/envelope.ts";
import type { QueryValues } from "../transport/service-address.ts";
import type { Method, Transport } from "../transport/transport.ts";
import { type ConditionOptions, ifMatchHeader, withVersion } from "../version.ts";

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** `after` of the next page; `null` at the end. */
  readonly next: string | null;
}

/** Options of one page of a list. */
export interface PageOptions extends CallLimits {
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  /** At most 500. Default: 100. */
  readonly limit?: number | undefined;
}

/** Options of a call that replaces something. `ifMatch` takes the result of a read or write of the same thing. */
export interface ChangeOptions extends CallLimits {
  readonly ifMatch: NonNullable<ConditionOptions["ifMatch"]>;
}

interface AdminRequest extends CallLimits, ConditionOptions {
  readonly method?: Method;
  /** Below `/admin/v1`. */
  readonly path: string;
  readonly query?: QueryValues | undefined;
  readonly body?: object;
  /** Sends the request without a session. */
  readonly anonymous?: true;
}

/** Sends the requests of an administrator. */
export class AdminCalls {
  #sessionId: string | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly timeout: number,
  ) {}

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get isLoggedIn(): boolean {
    return this.#sessionId !== undefined;
  }

  /** Sets the session of later requests; `undefined` for none. */
  use(sessionId: string | undefined): void {
    if (sessionId !== undefined && (typeof sessionId !== "string" || sessionId === ""))
      throw new TransportError("foreign-answer", { httpStatus: 200 });
    this.#sessionId = sessionId;
  }

  /** The data of the answer, with its version cached. */
  async send<Data extends object>({
    method = "GET",
    path,
    query,
    body,
    ifMatch,
    anonymous,
    timeout = this.timeout,
    signal,
  }: AdminRequest): Promise<Data> {
    const sessionId = this.#sessionId;
    if (anonymous === undefined && sessionId === undefined) throw new NotLoggedInError();
    const headers = {
      ...ifMatchHeader(ifMatch),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(anonymous === true || sessionId === undefined ? {} : { [headerNames.sessionId]: sessionId }),
    };
    const message = { headers, body: body === undefined ? undefined : jsonText(body) };
    return withinLimits({ timeout, signal }, async (limit) => {
      const answer = await this.transport.send({ method, path: `/admin/v1${path}`, query }, message, limit);
      return withVersion(successOf<Data>(answer).data, answer.headers.get("etag") ?? undefined);
    });
  }

  /** One page of a list. */
  page<Item>(
    path: string,
    { after, limit, timeout, signal }: PageOptions,
    query: QueryValues = {},
  ): Promise<Page<Item>> {
    return this.send<Page<Item>>({ path, query: { ...query, after, limit }, timeout, signal });
  }
}

/** A path with encoded segments. */
export function pathOf(first: string, ...segments: readonly string[]): string {
  return ["", first, ...segments.map(encodeURIComponent)].join("/");
}
