import { ServiceError } from "@sallyport/core";
import { isAlias } from "../routing/alias.ts";
import { originForm, pathSegments, withoutBase } from "../routing/request-path.ts";
import type { MatchedPath, RouteMatcher } from "../routing/route-matcher.ts";
import type { DatabaseDirectory } from "../server/database-entry.ts";
import type { Step } from "./step.ts";

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
