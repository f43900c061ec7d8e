import type { AdministrationCalls } from "@sallyport/contract";
import { headerNames } from "@sallyport/contract/header-names";
import { NotLoggedInError, TransportError } from "../errors.ts";
import { jsonText } from "../json.ts";
import { withinLimits, type CallLimits } from "../transport/deadline.ts";
import { successOf } from "../transport/envelope.ts";
import { type CallArguments, type SentCall, targetOf } from "../transport/calls.ts";
import type { Transport } from "../transport/transport.ts";
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

/** Options of any call. `ifMatch` is for calls that replace something. */
export type AdminCallOptions = CallLimits & ConditionOptions;

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

  /** Calls an operation. Its data has the version cached. */
  async send<Key extends keyof AdministrationCalls>(
    operation: Key,
    ...[options]: CallArguments<AdministrationCalls[Key]["input"], AdminCallOptions>
  ): Promise<AdministrationCalls[Key]["data"]> {
    const {
      body,
      query,
      ifMatch,
      anonymous,
      timeout = this.timeout,
      signal,
      ...request
    }: SentCall & AdminCallOptions = options ?? {};
    const sessionId = this.#sessionId;
    if (anonymous === undefined && sessionId === undefined) throw new NotLoggedInError();
    const headers = {
      ...ifMatchHeader(ifMatch),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(anonymous === true || sessionId === undefined ? {} : { [headerNames.sessionId]: sessionId }),
    };
    const message = { headers, body: body === undefined ? undefined : jsonText(body) };
    return withinLimits({ timeout, signal }, async (limit) => {
      const answer = await this.transport.send({ ...targetOf(operation, request.path), query }, message, limit);
      return withVersion(
        successOf<AdministrationCalls[Key]["data"]>(answer).data,
        answer.headers.get("etag") ?? undefined,
      );
    });
  }
}

/** The options of a call that returns one page of a list. */
export function paged<Query extends object>({ after, limit, timeout, signal }: PageOptions, query?: Query) {
  return { timeout, signal, query: { ...(query as Query), after, limit } };
}
