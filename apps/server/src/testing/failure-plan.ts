import { asGiven } from "@sallyport/contract";
import { type ErrorCode, isErrorCode, ServiceError, type ServiceErrorOptions } from "@sallyport/storage";
import { type After } from "@sallyport/core";
import { nothing, type Route } from "@sallyport/http";
import type { AnsweredRequests } from "./answered-requests.ts";

/** The request header that names the code to fail with. */
export const failureHeader = "sallyport-test-fail";

/** The fault of a request: an error, a delay in milliseconds, or a connection that closes without a response. */
export type Fault =
  | { readonly code: number; readonly options?: FailureOptions }
  | { readonly delay: number }
  /** `before` or `after` the work of the use case. */
  | { readonly drop: "before" | "after" };

interface PlannedFault {
  readonly route: Route;
  readonly fault: Fault;
  /** Requests that still fail. */
  remaining: number;
}

/** The means of faults other than errors. */
interface FaultMeans {
  readonly after: After;
  readonly answered: AnsweredRequests;
}

/** The parts of a failure that a response shows. */
export type FailureOptions = Pick<ServiceErrorOptions, "detail" | "retryAfter" | "notice">;

interface Input {
  readonly header: (name: string) => string | undefined;
  readonly body?: unknown;
  /** A body that the route reads itself; `null` without one. */
  readonly stream?: unknown;
  /** `null` for an item of a multi request. */
  readonly suspend?: unknown;
}

/** A handler without a result answers with empty data. */
type Handler = (context: { readonly requestId: string }, input: Input) => Promise<object | void>;

/**
 * Fails requests on demand. A planned failure is thrown where the use case begins: after the checks of the pipeline, so
 * it takes the path of any other failure. Items of a multi request fail by plan, not by header. Also notes what use cases
 * get and return.
 */
export class FailurePlan {
  private readonly planned = new Set<PlannedFault>();
  private routes: readonly Route[] = [];

  constructor(private readonly means: FaultMeans) {}

  /** Returns the routes with handlers that can fail. The routes must not be in use yet. */
  wrap(routes: readonly Route[]): readonly Route[] {
    for (const route of routes) {
      const handle = route.handle as unknown as Handler;
      const failing: Handler = async (context, input) => {
        const { answered } = this.means;
        const isItem = input.suspend === null;
        if (!isItem)
          answered.note(context.requestId, { body: asGiven(input.body), hasFile: (input.stream ?? null) !== null });
        const named = namedFailure(input.header(failureHeader));
        if (named !== null) throw named;
        const result =
          (await this.withFault(this.take(route), context.requestId, () => handle(context, input))) ?? nothing;
        if (!isItem && "data" in result) answered.note(context.requestId, { data: result.data });
        return result;
      };
      // The multi request holds the same route objects.
      Object.assign(route, { handle: failing });
    }
    this.routes = routes;
    return routes;
  }

  /** Plans the fault of the next `times` requests of a route, such as `GET /v1/object/{id}`. Throws a `TypeError` for invalid input. */
  add(name: string, fault: Fault, times: number): void {
    if ("code" in fault && !isErrorCode(fault.code))
      throw new TypeError(`${fault.code} is not a code of the catalogue.`);
    if ("drop" in fault && !["before", "after"].includes(fault.drop))
      throw new TypeError(`A connection drops "before" or "after" the work, not "${String(fault.drop)}".`);
    if (!(times >= 0) || (Number.isFinite(times) && !Number.isInteger(times)))
      throw new TypeError(`${times} is not a number of requests.`);
    const route = this.routeOf(name);
    if (times > 0) this.planned.add({ route, fault, remaining: times });
  }

  /** Removes the failures of a route. Default: all. */
  clear(name?: string): void {
    const route = name === undefined ? undefined : this.routeOf(name);
    for (const each of this.planned) if (route === undefined || each.route === route) this.planned.delete(each);
  }

  /** Method and path of all routes. */
  names(): string[] {
    return this.routes.map(({ method, path }) => `${method} ${path}`);
  }

  private take(route: Route): Fault | null {
    for (const each of this.planned) {
      if (each.route !== route) continue;
      each.remaining -= 1;
      if (each.remaining <= 0) this.planned.delete(each);
      return each.fault;
    }
    return null;
  }

  private async withFault<T>(fault: Fault | null, requestId: string, work: () => Promise<T>): Promise<T> {
    const { after, answered } = this.means;
    if (fault === null) return work();
    if ("code" in fault)
      throw failureWith(fault.code as ErrorCode, { detail: "The test asked for this failure.", ...fault.options });
    if ("delay" in fault) {
      await new Promise<void>((resolve) => {
        after(fault.delay, resolve);
      });
      return work();
    }
    if (fault.drop === "after") await work();
    answered.cut(requestId);
    // The client is gone. The error ends the request.
    throw new ServiceError(706, { detail: "The test asked for a dropped connection." });
  }

  /** Names of parameters do not matter. */
  private routeOf(name: string): Route {
    const expected = withoutNames(name);
    const route = this.routes.find(({ method, path }) => withoutNames(`${method} ${path}`) === expected);
    if (route !== undefined) return route;
    throw new TypeError(`There is no route "${name}". The routes are:\n${this.names().join("\n")}`);
  }
}

function withoutNames(route: string): string {
  return route.replaceAll(/\{[^}]*\}/g, "{}");
}

/** The parts that the service always adds to a code. */
const usualParts: Partial<Readonly<Record<ErrorCode, ServiceErrorOptions>>> = {
  330: { restartsSync: true },
  800: { retryAfter: 1 },
};

function failureWith(code: ErrorCode, options: FailureOptions): ServiceError {
  return new ServiceError(code, { ...usualParts[code], ...options });
}

function namedFailure(text: string | undefined): ServiceError | null {
  if (text === undefined) return null;
  const code = Number(text);
  if (isErrorCode(code)) return failureWith(code, { detail: `The header ${failureHeader} asked for this failure.` });
  return new ServiceError(307, { detail: `The header ${failureHeader} must be a code of the catalogue.` });
}
