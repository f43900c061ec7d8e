import { type ErrorCode, isErrorCode, ServiceError, type ServiceErrorOptions } from "@sallyport/core";
import type { Route } from "@sallyport/http";

/** The request header that names the code to fail with. */
export const failureHeader = "sallyport-test-fail";

interface PlannedFailure {
  readonly route: Route;
  readonly code: ErrorCode;
  readonly options: FailureOptions;
  /** Requests that still fail. */
  remaining: number;
}

/** The parts of a failure that a response shows. */
export type FailureOptions = Pick<ServiceErrorOptions, "detail" | "retryAfter" | "notice">;

interface Headers {
  readonly header: (name: string) => string | undefined;
}

type Handler = (context: never, input: Headers) => unknown;

/**
 * Fails requests on demand. A planned failure is thrown where the use case begins: after the checks of the pipeline, so
 * it takes the path of any other failure. Items of a multi request fail by plan, not by header.
 */
export class FailurePlan {
  private readonly planned = new Set<PlannedFailure>();
  private routes: readonly Route[] = [];

  /** Returns the routes with handlers that can fail. The routes must not be in use yet. */
  wrap(routes: readonly Route[]): readonly Route[] {
    for (const route of routes) {
      const handle = route.handle as Handler;
      const failing = async (context: never, input: Headers): Promise<unknown> => {
        const failure = this.take(route) ?? namedFailure(input.header(failureHeader));
        if (failure !== null) throw failure;
        return handle(context, input);
      };
      // The multi request holds the same route objects.
      Object.assign(route, { handle: failing });
    }
    this.routes = routes;
    return routes;
  }

  /** Fails the next `times` requests of a route, such as `GET /v1/object/{id}`. Throws a `TypeError` for invalid input. */
  add(name: string, code: number, times: number, options: FailureOptions = {}): void {
    if (!isErrorCode(code)) throw new TypeError(`${code} is not a code of the catalogue.`);
    if (!(times >= 0) || (Number.isFinite(times) && !Number.isInteger(times)))
      throw new TypeError(`${times} is not a number of requests.`);
    const route = this.routeOf(name);
    if (times > 0) this.planned.add({ route, code, options, remaining: times });
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

  private take(route: Route): ServiceError | null {
    for (const each of this.planned) {
      if (each.route !== route) continue;
      each.remaining -= 1;
      if (each.remaining <= 0) this.planned.delete(each);
      return failureWith(each.code, { detail: "The test asked for this failure.", ...each.options });
    }
    return null;
  }

  /** Names of parameters do not matter. */
  private routeOf(name: string): Route {
    const wanted = withoutNames(name);
    const found = this.routes.find(({ method, path }) => withoutNames(`${method} ${path}`) === wanted);
    if (found !== undefined) return found;
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
