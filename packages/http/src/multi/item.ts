import { type Checked, type multiItem, onlyReads, valueOf } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import { type KeyedRequest, type RequestContext } from "@sallyport/core";
import type * as z from "zod";
import { validatedBody } from "../body/json.ts";
import { failureOf } from "../envelope.ts";
import { keyedItem, takesItemKey } from "../keyed-request.ts";
import { type NamedObject, objectOfAnswer, objectOfPath } from "../named-object.ts";
import { nothing, type Route, type RouteHandler, type RouteInput, type Success, type Served } from "../route.ts";
import { parseQuery } from "../routing/query-string.ts";
import { unknownParameters } from "../routing/unknown-parameters.ts";
import { type MatchedPath, pathSegments, type RouteMatcher } from "../routing/route-matcher.ts";
import { headerBytes, type ItemRecord } from "../http-settings.ts";

/** An item as it was sent. */
export type ItemInput = Checked<z.output<typeof multiItem>>;

/** Dependencies of the items. All items of a request share them. */
export interface ItemParts {
  readonly matcher: RouteMatcher;
  readonly settings: RouteInput["settings"];
  /** `performance.now()` after which no item starts. */
  readonly deadline: number;
  /** Whether the items share a transaction. */
  readonly atomic: boolean;
  /** The multi request, if it has a key. */
  readonly keyed: KeyedRequest | null;
}

/** One item of a multi request. It corresponds to the exchange of a single request. */
export class Item {
  private matched: MatchedPath | null = null;
  private answered: NamedObject = {};
  private route: Route | null = null;
  private readonly call: ((context: Served<RequestContext>) => ReturnType<RouteHandler>) | null = null;
  private error: unknown = undefined;
  /** With debug messages, the unknown query parameters that look like known ones. */
  hint: string | undefined = undefined;

  /**
   * Finds the route and parses the input. Fails with the same codes, in the same order, as a single request.
   * `rateError`: the error of an item beyond a request rate.
   */
  constructor(itemInput: ItemInput, index: number, parts: ItemParts, rateError: ServiceError | null = null) {
    try {
      this.call = this.prepared(itemInput, index, parts, rateError);
    } catch (error) {
      this.error = error;
    }
  }

  /** Throws the error of the preparation, if there is one. */
  requirePrepared(): void {
    if (this.error !== undefined) throw this.error;
  }

  /** Whether the item changes nothing: a read, or an item that failed in preparation. */
  get isRead(): boolean {
    return this.call === null || (this.route !== null && onlyReads(this.route));
  }

  /** Whether the answer can have a version, or can be compressed. */
  is(kind: "versioned" | "compressed"): boolean {
    return this.route?.[kind] === true;
  }

  /** Whether the item changes the model, or executes a macro. */
  has(effect: "model" | "macro"): boolean {
    return this.route?.effect === effect;
  }

  async run(context: Served<RequestContext>): Promise<Success> {
    if (this.call === null) throw this.error;
    const success = (await this.call(context)) ?? nothing;
    if ("document" in success || "file" in success) throw new TypeError("An item cannot return a document.");
    this.answered = objectOfAnswer(success.data);
    return success;
  }

  /** Records the failure. */
  failed(error: unknown): void {
    this.error = error;
  }

  /** Record for log and metrics. */
  record(): ItemRecord {
    const named = this.matched === null ? {} : objectOfPath(this.matched);
    const route = this.matched?.pattern ?? null;
    const about = { route, method: this.route?.method ?? null, isRead: this.isRead, ...named, ...this.answered };
    if (this.error === undefined) return { ...about, status: 200, code: 0 };
    const { status, code } = failureOf(this.error);
    return { ...about, status, code, error: this.error };
  }

  private prepared(
    itemInput: ItemInput,
    index: number,
    { matcher, settings, atomic, keyed }: ItemParts,
    rateError: ServiceError | null,
  ): typeof this.call {
    const { method, path, data } = valueOf(itemInput);
    const { segments, queryString } = itemTarget(path);
    const matched = matcher.match(segments);
    if (matched === null) throw new ServiceError(304);
    this.matched = matched;
    const route = matched.methods.get(method);
    if (route === undefined) throw new ServiceError(305);
    this.route = route;
    if (rateError !== null) throw rateError;
    if (!route.inMulti) throw new ServiceError(307, { detail: "This route cannot be used inside a multi request." });
    if (atomic && route.effect === "model")
      throw new ServiceError(307, { detail: "The model cannot be changed inside a transaction." });
    if (data === undefined && route.needsBody) throw new ServiceError(300);
    if (settings.debugMessages) this.hint = unknownParameters(route.query, queryString);
    const input: RouteInput = {
      // A route without a body ignores `data`.
      body: route.body?.json === undefined ? undefined : validatedBody(route.body, data),
      query: parseQuery(route.query, queryString),
      parameter: (name) => matched.parameters.get(name) ?? "",
      expectedVersions: null,
      settings,
      // No route of an item sends mail.
      language: null,
      appKeyDigest: null,
      // An item of a multi request carries no bytes.
      stream: null,
      header: () => undefined,
      cookie: () => null,
      note: () => {},
      position: undefined,
      keyed: keyed !== null && takesItemKey(route) ? keyedItem(keyed, index) : null,
      suspend: null,
    };
    const handle = input.keyed === null ? route.handle : (route.handleOnce ?? route.handle);
    return (context) => handle(context, input);
  }
}

/** Characters of a request target. For a request, the HTTP parser checks this. */
const addressCharacters = /^\/[\x21-\x7e]*$/;

interface ItemTarget {
  readonly segments: readonly string[];
  readonly queryString: string;
}

/** Parses the path of an item. 304 for an invalid path, 307 for a path longer than the header limit. */
function itemTarget(target: string): ItemTarget {
  if (Buffer.byteLength(target) > headerBytes) throw new ServiceError(307, { detail: "The path is too long." });
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const segments = addressCharacters.test(path) ? pathSegments(path) : null;
  if (segments === null) throw new ServiceError(304);
  return { segments, queryString: mark === -1 ? "" : target.slice(mark + 1) };
}
