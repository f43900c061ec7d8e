import { multiItem, parseFields } from "@sallyport/contract";
import { type RequestContext, ServiceError } from "@sallyport/core";
import { parseBody } from "../body/parse-body.ts";
import { needsBody } from "../routes/needs-body.ts";
import type { Route, RouteHandler, RouteInput } from "../routes/route.ts";
import { parseQuery } from "../routing/parse-query.ts";
import type { RouteMatcher } from "../routing/route-matcher.ts";
import type { ItemRecord } from "../server/request-observer.ts";
import { itemTarget } from "./item-target.ts";
import type { Results } from "./results.ts";

/** What items are worked on with; the same for all of a request. */
export interface ItemParts {
  readonly matcher: RouteMatcher;
  readonly settings: RouteInput<unknown, unknown>["settings"];
  /** Whether they share a transaction. */
  readonly atomic: boolean;
}

/** One item of a multi request on its way, as the exchange is of a request. */
export class Item {
  private pattern: string | null = null;
  private found: Route | null = null;
  private input: Omit<RouteInput<unknown, unknown>, "note"> | null = null;

  constructor(private readonly given: unknown) {}

  /** Finds the route and parses what it takes; refuses what it would refuse of a request of its own, in the same order. */
  prepare({ matcher, settings, atomic }: ItemParts): void {
    const { method, path, data } = parseFields(multiItem, this.given, []);
    const { segments, queryString } = itemTarget(path);
    const matched = matcher.match(segments);
    if (matched === null) throw new ServiceError(304);
    this.pattern = matched.pattern;
    const route = matched.methods.get(method);
    if (route === undefined) throw new ServiceError(305);
    this.found = route;
    if (route.standsAlone === true) throw new ServiceError(307, { detail: "It is nothing for a multi request." });
    if (atomic && route.changesModel === true) throw new ServiceError(307, { detail: "The model is not changed in a transaction." });
    if (data === undefined && needsBody(route)) throw new ServiceError(300);
    this.input = {
      // What no route asks for is not looked at.
      body: route.body === undefined ? undefined : parseBody(route.body, data),
      query: parseQuery(route.query, queryString),
      parameter: (name) => matched.parameters.get(name) ?? "",
      expectedVersions: null,
      settings,
    };
  }

  get changesModel(): boolean {
    return this.found?.changesModel === true;
  }

  /** Does what was prepared, and writes the result down. */
  async run(context: RequestContext, results: Results): Promise<void> {
    const { found, input } = this;
    if (found === null || input === null) throw new TypeError("An item is prepared first.");
    const success = await (found.handle as RouteHandler)(context, { ...input, note: () => {} });
    if ("document" in success) throw new TypeError(`${found.operation} answers with a document, which is no result.`);
    results.succeed(success, found);
  }

  /** For log and metrics. */
  record({ status, code }: Pick<ItemRecord, "status" | "code"> = { status: 200, code: 0 }): ItemRecord {
    return { route: this.pattern, method: this.found?.method ?? null, status, code };
  }
}
