import type { Digests } from "@sallyport/core";
import type { RouteMatcher } from "../routing/route-matcher.ts";
import type { LoadGauge } from "../server/load-gauge.ts";
import type { DatabaseDirectory } from "../server/database-entry.ts";
import type { HttpSettings } from "../server/http-settings.ts";
import type { Exchange } from "./exchange.ts";

/** What the steps work with; the same for every request. */
export interface PipelineParts {
  readonly settings: HttpSettings;
  readonly databases: DatabaseDirectory;
  readonly matcher: RouteMatcher;
  readonly digests: Digests;
  readonly load: LoadGauge;
}

/** One check or piece of work; throws a `ServiceError` to refuse the request. */
export type Step = (exchange: Exchange, parts: PipelineParts) => void | Promise<void>;
