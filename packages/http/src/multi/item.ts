import { multiItem, parseFields } from "@sallyport/contract";
import { type ExecuteMacro, type ObjectHooks, type RequestContext, ServiceError } from "@sallyport/core";
import { parseBody } from "../body/json.ts";
import { failureOf } from "../envelope.ts";
import { needsBody, type Route, type RouteHandler, type RouteInput, type Success } from "../routes/route.ts";
import { parseQuery } from "../routing/query-string.ts";
import { pathSegments, type RouteMatcher } from "../routing/route-matcher.ts";
import { headerBytes, type ItemRecord } from "../server/http-settings.ts";

/** What items are worked on with; the same for all of a request. */
export interface ItemParts {
  readonly matcher: RouteMatcher;
  readonly hooks: Pick<ObjectHooks, "current">;
  readonly macros: Pick<ExecuteMacro, "prepared">;
  readonly settings: RouteInput<unknown, unknown>["settings"];
  /** `performance.now()` after which none is begun. */
  readonly deadline: number;
  /** Whether they share a transaction. */
  readonly atomic: boolean;
}

/** One item of a multi request on its way, as the exchange is of a request. */
export class Item {
  private pattern: string | null = null;
  private route: Route | null = null;
  private readonly call: ((context: RequestContext) => ReturnType<RouteHandler>) | null = null;
  private error: unknown = undefined;

  /** Finds the route and parses what it takes. What it would refuse of a request of its own, in the same order, the item is refused. */
  constructor(given: unknown, parts: ItemParts) {
    try {
      this.call = this.prepared(given, parts);
    } catch (error) {
      this.error = error;
    }
  }

  /** Throws what it was refused with. */
  requirePrepared(): void {
    if (this.error !== undefined) throw this.error;
  }

  /** Whether nothing happens when it is done. */
  get isRead(): boolean {
    return this.call === null || this.route?.method === "GET";
  }

  /** Whether its route is of this kind. */
  is(kind: "versioned" | "changesModel" | "executesMacro"): boolean {
    return this.route?.[kind] === true;
  }

  async run(context: RequestContext): Promise<Success> {
    if (this.call === null) throw this.error;
    const success = await this.call(context);
    if ("document" in success) throw new TypeError("A document is no result of an item.");
    return success;
  }

  /** Takes note of why it failed. */
  failed(error: unknown): void {
    this.error = error;
  }

  /** For log and metrics. */
  record(): ItemRecord {
    const about = { route: this.pattern, method: this.route?.method ?? null };
    if (this.error === undefined) return { ...about, status: 200, code: 0 };
    const { status, code } = failureOf(this.error);
    return { ...about, status, code, error: this.error };
  }

  private prepared(given: unknown, { matcher, settings, atomic }: ItemParts): typeof this.call {
    const { method, path, data } = parseFields(multiItem, given, []);
    const { segments, queryString } = itemTarget(path);
    const matched = matcher.match(segments);
    if (matched === null) throw new ServiceError(304);
    this.pattern = matched.pattern;
    const route = matched.methods.get(method);
    if (route === undefined) throw new ServiceError(305);
    this.route = route;
    if (route.standsAlone === true) throw new ServiceError(307, { detail: "It is nothing for a multi request." });
    if (atomic && route.changesModel === true)
      throw new ServiceError(307, { detail: "The model is not changed in a transaction." });
    if (data === undefined && needsBody(route)) throw new ServiceError(300);
    const input: RouteInput<unknown, unknown> = {
      // What no route asks for is not looked at.
      body: route.body === undefined ? undefined : parseBody(route.body, data),
      query: parseQuery(route.query, queryString),
      parameter: (name) => matched.parameters.get(name) ?? "",
      expectedVersions: null,
      settings,
      // Nothing that is mailed is an item.
      language: null,
      appKeyDigest: null,
      cookie: () => null,
      note: () => {},
    };
    return (context) => (route.handle as RouteHandler)(context, input);
  }
}

/** What an address can consist of; HTTP's parser sees to it that the path of a request does. */
const addressCharacters = /^\/[\x21-\x7e]*$/;

interface ItemTarget {
  readonly segments: readonly string[];
  readonly queryString: string;
}

/** The parts of an item's path. 304 for what could be no path of a request, 307 for one that no request has room for. */
function itemTarget(target: string): ItemTarget {
  if (Buffer.byteLength(target) > headerBytes) throw new ServiceError(307, { detail: "The path is too long." });
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const segments = addressCharacters.test(path) ? pathSegments(path) : null;
  if (segments === null) throw new ServiceError(304);
  return { segments, queryString: mark === -1 ? "" : target.slice(mark + 1) };
}
