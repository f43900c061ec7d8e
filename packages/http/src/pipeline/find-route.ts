import { ServiceError } from "@sallyport/core";
import { originForm, pathSegments, withoutBase } from "../routing/request-path.ts";
import type { MatchedPath, RouteMatcher } from "../routing/route-matcher.ts";
import type { DatabaseDirectory } from "../server/http-settings.ts";
import { isPreflight } from "./cors.ts";
import type { Step } from "./exchange.ts";

/** 304 unless the path names a route of a configured alias. */
export const findPath: Step = (exchange, { settings, databases, matcher }) => {
  const target = originForm(exchange.request.url ?? "/");
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  exchange.queryString = mark === -1 ? "" : target.slice(mark + 1);

  const segments = withoutBase(pathSegments(path), settings.basePath);
  if (segments === null) throw new ServiceError(304);
  const found = matchAlias(segments, databases, matcher);
  if (found === null) throw new ServiceError(304);
  exchange.alias = found.alias;
  exchange.matched = found.matched;
};

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

/** 305 with `Allow` unless the path takes the method; a browser's preflight may go on. */
export const findMethod: Step = (exchange) => {
  const methods = exchange.matched?.methods ?? new Map();
  const route = methods.get(exchange.request.method ?? "");
  if (route !== undefined) {
    exchange.route = route;
    return;
  }
  exchange.answerHeaders["Allow"] = [...methods.keys()].join(", ");
  exchange.isPreflight = isPreflight(exchange.request);
  if (!exchange.isPreflight) throw new ServiceError(305);
};

/** 705 while the alias has no storage settings. */
export const findDatabase: Step = (exchange, { databases }) => {
  const database = databases.get(exchange.alias ?? "");
  if (!database) throw new ServiceError(705);
  exchange.database = database;
};

const alias = /^[a-z][a-z0-9_-]{0,62}$/;

const reserved: ReadonlySet<string> = new Set(["v1", "v2", "admin", "docs", "healthz", "readyz", "metrics"]);

/** Whether a text can be the alias of a database: part of addresses, so never a word that begins one. */
export function isAlias(text: string): boolean {
  return alias.test(text) && !reserved.has(text);
}
