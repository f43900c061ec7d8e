import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  Admission,
  ChannelTraffic,
  CredentialReader,
  Database,
  Digest,
  Digests,
  SessionReference,
} from "@sallyport/core";
import type { Connection } from "../connections/connection.ts";
import type { LoadGauge, LoadShare, NetworkBudget } from "../load-gauge.ts";
import type { ResolvedOrigin } from "../client-origin.ts";
import type { Access, Route } from "../routes/route.ts";
import type { MatchedPath, RouteMatcher } from "../routing/route-matcher.ts";
import type { SecureExchange } from "./secure-exchange.ts";
import type { DatabaseDirectory, HttpSettings, ItemRecord } from "../server/http-settings.ts";
import type { PublishedKeys } from "../database-keys.ts";
import type { PresentedCredentials } from "./credentials.ts";

const noBytes: Uint8Array = new Uint8Array(0);

/** One request on its way through the pipeline. Each step leaves here what later steps need. */
export class Exchange {
  /** `performance.now()` at the arrival. */
  readonly startedAt = performance.now();
  /** Headers that the answer carries whatever it is, by name. */
  readonly answerHeaders: Record<string, string> = {};

  /** Of `findPath`; `null` until then, so that a failure before it can be written. */
  alias: string | null = null;
  matched: MatchedPath | null = null;
  queryString = "";
  /** Of `findMethod`. */
  declare route: Route;
  isPreflight = false;
  /** Of `findDatabase`. */
  declare database: Database;
  /** Of `admit`: what the route asks of this caller. */
  declare access: Exclude<Access, "optional">;
  declare credentials: PresentedCredentials;
  declare admission: Admission;
  appKeyDigest: Digest | null = null;
  /** Which session the credential claims to be of. */
  session: SessionReference | null = null;
  /** Of `openChannel`, in a secure session. */
  channel: SecureExchange | null = null;
  /** Of `readBody`, `parseBody` and `parseInput`. */
  bytes = noBytes;
  body: unknown = undefined;
  query: unknown = undefined;
  /** Of the body of the answer, once it is written. */
  answerBytes = 0;
  /** Of a multi request. */
  items: readonly ItemRecord[] | null = null;
  /** Of `handle`: what has failed, although the answer is a redirect. */
  failure: unknown = undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly requestId: string,
    readonly origin: ResolvedOrigin,
    readonly connection: Connection,
    readonly share: LoadShare,
    /** Bytes of answers that clients have not taken yet. */
    readonly sendBufferBytes: NetworkBudget,
  ) {}
}

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
  readonly incompleteBodies: NetworkBudget;
}

/** One check or piece of work; throws a `ServiceError` to refuse the request. */
export type Step = (exchange: Exchange, parts: PipelineParts) => void | Promise<void>;
