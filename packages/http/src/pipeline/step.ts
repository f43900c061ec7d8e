import type { ChannelTraffic, CredentialReader, Digests } from "@sallyport/core";
import type { NetworkBudget } from "../load/network-budget.ts";
import type { LoadGauge } from "../load/load-gauge.ts";
import type { RouteMatcher } from "../routing/route-matcher.ts";
import type { DatabaseDirectory } from "../server/database-entry.ts";
import type { HttpSettings } from "../server/http-settings.ts";
import type { PublishedKeys } from "../well-known/published-keys.ts";
import type { Exchange } from "./exchange.ts";

/** What the steps work with; the same for every request. */
export interface PipelineParts {
  readonly settings: HttpSettings;
  readonly databases: DatabaseDirectory;
  readonly matcher: RouteMatcher;
  readonly digests: Digests;
  readonly credentialReader: CredentialReader;
  readonly traffic: ChannelTraffic;
  readonly publishedKeys: PublishedKeys;
  readonly load: LoadGauge;
  /** Requests whose body is still to come. */
  readonly awaitedBodies: NetworkBudget;
}

/** One check or piece of work; throws a `ServiceError` to refuse the request. */
export type Step = (exchange: Exchange, parts: PipelineParts) => void | Promise<void>;
