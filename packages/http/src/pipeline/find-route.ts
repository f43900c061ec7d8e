import type { IncomingMessage } from "node:http";
import { isAlias } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import { writeAnswer } from "../answer.ts";
import { keySetPath, keySetType } from "../database-keys.ts";
import {
  type MatchedPath,
  originForm,
  pathSegments,
  type RouteMatcher,
  withoutBase,
} from "../routing/route-matcher.ts";
import type { DatabaseDirectory, DatabaseEntry } from "../http-settings.ts";
import type { Exchange, PipelineParts, Step } from "../exchange/exchange.ts";

/** Throws 304 unless the path matches a route of a configured alias, or the key set. */
export function findPath(exchange: Exchange, { settings, databases, matcher, reach }: PipelineParts): void {
  const target = originForm(exchange.request.url ?? "/");
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  exchange.queryString = mark === -1 ? "" : target.slice(mark + 1);

  const segments = pathSegments(path);
  const below = settings.basePath === "" ? segments : withoutBase(segments, settings.basePath);
  const found = below === null ? null : matchAlias(below, databases, matcher);
  if (found !== null && (!found.matched.administration || reach.admits(exchange.request))) {
    exchange.alias = found.alias;
    exchange.matched = found.matched;
  } else if (isKeySet(segments) || isKeySet(below)) exchange.matched = keySet;
  else throw new ServiceError(304);
}

function matchAlias(
  segments: readonly string[],
  databases: DatabaseDirectory,
  matcher: RouteMatcher,
): { alias: string; matched: MatchedPath } | null {
  const direct = databases.has("") ? matcher.match(segments) : null;
  if (direct !== null) return { alias: "", matched: direct };
  const [alias, ...rest] = segments;
  if (alias === undefined || !isAlias(alias) || !databases.has(alias)) return null;
  const matched = matcher.match(rest);
  return matched === null ? null : { alias, matched };
}

/** The database that the address of a request names, also if it is not a path of a route. */
export function addressedDatabase(
  { url = "" }: Pick<IncomingMessage, "url">,
  { databases, settings }: Pick<PipelineParts, "databases" | "settings">,
): DatabaseEntry | undefined {
  const segments = originForm(url)
    .split("?", 1)[0]
    ?.split("/")
    .filter((segment) => segment !== "");
  const [alias = ""] = withoutBase(segments ?? [], settings.basePath) ?? [];
  return databases.get(databases.has(alias) ? alias : "");
}

/** Whether the request is a CORS preflight. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

/** Throws 305 with `Allow` unless the path supports the method. A preflight passes. */
export function findMethod(exchange: Exchange): void {
  const methods = exchange.matched?.methods ?? new Map();
  const route = methods.get(exchange.request.method ?? "");
  if (route !== undefined) {
    exchange.route = route;
    return;
  }
  exchange.answerHeaders["Allow"] = [...methods.keys()].join(", ");
  exchange.isPreflight = isPreflight(exchange.request);
  if (!exchange.isPreflight) throw new ServiceError(305);
}

/** Throws 705 if the alias has no storage settings. */
export function findDatabase(exchange: Exchange, { databases, requests }: PipelineParts): Promise<void> | undefined {
  const database = databases.get(exchange.alias ?? "");
  if (!database) throw new ServiceError(705);
  exchange.database = database;
  const waking = databases.use?.(database);
  exchange.use = requests.of(database).begin();
  return waking;
}

/** Cache lifetime in seconds of a complete and an incomplete key set. */
const maxAge = { complete: 60, incomplete: 5 };

/** The path of the key set, at the root of the server or below its base path. */
export const keySet: MatchedPath = {
  pattern: keySetPath,
  administration: false,
  methods: new Map(),
  parameters: new Map(),
};

function isKeySet(segments: readonly string[] | null): boolean {
  return segments !== null && `/${segments.join("/")}` === keySetPath;
}

/** Throws 305 unless the method is `GET`. */
export const findKeySetMethod: Step = (exchange) => {
  if (exchange.request.method === "GET") return;
  exchange.answerHeaders["Allow"] = "GET";
  throw new ServiceError(305);
};

/** Answers with the key set (RFC 7517). Web pages of any origin can read it. */
export const answerKeySet: Step = async (exchange: Exchange, { publishedKeys }) => {
  const { keys, complete } = await publishedKeys.read();
  Object.assign(exchange.answerHeaders, {
    "Content-Type": keySetType,
    "Cache-Control": `public, max-age=${complete ? maxAge.complete : maxAge.incomplete}`,
    "Access-Control-Allow-Origin": "*",
  });
  delete exchange.answerHeaders["Vary"];
  writeAnswer(exchange, 200, [JSON.stringify({ keys })]);
};
