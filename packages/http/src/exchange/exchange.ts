import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Access, headerNames } from "@sallyport/contract";
import type { Admission, Digest, Digests } from "@sallyport/storage";
import type {
  ChannelTraffic,
  CredentialReader,
  Database,
  ProcessorBudget,
  RequestCheck,
  Services,
  SessionBasis,
  SessionReference,
} from "@sallyport/core";
import type { Connection } from "../connections/connection.ts";
import type { DatabaseRequests, DatabaseUse } from "../database-requests.ts";
import type { LoadGauge, LoadShare, NetworkBudget } from "../load-gauge.ts";
import type { AdministrationReach } from "../administration-reach.ts";
import type { ResolvedOrigin } from "../client-origin.ts";
import type { Route, StreamedBody } from "../route.ts";
import type { MatchedPath, RouteMatcher } from "../routing/route-matcher.ts";
import type { NamedObject } from "../named-object.ts";
import type { ListedOrigins } from "./listed-origins.ts";
import type { SecureExchange } from "./secure-exchange.ts";
import type { DatabaseDirectory, HttpSettings, ItemRecord } from "../http-settings.ts";
import type { PublishedKeys } from "../database-keys.ts";
import type { PresentedCredentials } from "./credentials.ts";

const noBytes: Uint8Array = new Uint8Array(0);

/** One request on its way through the pipeline. Each step stores the values that later steps need. */
export class Exchange {
  /** `performance.now()` at arrival. */
  readonly startedAt = performance.now();
  /** Headers of every response to this request, by name. */
  readonly answerHeaders: Record<string, string> = { Vary: "Origin" };

  /** Set by `findPath`; `null` before it, so that an early failure can be written. */
  alias: string | null = null;
  matched: MatchedPath | null = null;
  queryString = "";
  /** Set by `findMethod`. */
  declare route: Route;
  isPreflight = false;
  /** Whether the CORS headers of the answer are decided. */
  isOriginChecked = false;
  /** Set by `findDatabase`. */
  declare database: Database;
  /** Set by `findDatabase`. Ends with the request. */
  use: DatabaseUse | null = null;
  /** Set by `admit`: the access level for this caller. */
  declare access: Exclude<Access, "navigation" | "optional">;
  declare credentials: PresentedCredentials;
  declare admission: Admission;
  appKeyDigest: Digest | null = null;
  /** The session that the credential refers to. */
  session: SessionReference | null = null;
  /** What it rests on. */
  basis: SessionBasis | null = null;
  /** Set by `openChannel` in a secure session. */
  channel: SecureExchange | null = null;
  /** Set by `readBody`, `openMessage` and `parseInput`. */
  bytes = noBytes;
  /** Set by `openStream`: a body that the route reads itself. */
  stream: StreamedBody | null = null;
  /** Whether the rest of the body is read and discarded before the answer ends. */
  discardsRest = false;
  body: unknown = undefined;
  query: unknown = undefined;
  /** Set by `parseInput` with debug messages: the unknown query parameters that look like known ones. */
  hint: string | undefined = undefined;
  /** Size of the response body, after it is written. */
  answerBytes = 0;
  /** Set by a multi request. */
  items: readonly ItemRecord[] | null = null;
  /** Whether the use case has begun. A failure before has changed nothing. */
  hasBegun = false;
  /** Set by `handle`: the object in the answer. */
  answered: NamedObject = {};
  /** Set by `handle`: the failure behind a redirect. */
  failure: unknown = undefined;
  /** The latest check; of a request that failed, the one that refused it. */
  check: RequestCheck | null = null;

  /** Whether the request has a live session. The operator has none: an empty digest names no session. */
  get isAdmitted(): boolean {
    // Not yet set if an earlier step has failed.
    return this.session?.digest !== "" && ((this.admission as Admission | undefined)?.session ?? null) !== null;
  }

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly requestId: string,
    readonly origin: ResolvedOrigin,
    readonly connection: Connection,
    readonly share: LoadShare,
    /** Bytes of responses that clients have not read. */
    readonly sendBufferBytes: NetworkBudget,
  ) {}
}

const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** The request id of the client or proxy if it is safe to log. Otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const header = headers[headerNames.requestId];
  return typeof header === "string" && acceptable.test(header) ? header : randomUUID();
}

/** Dependencies of the steps, shared by all requests. */
export interface PipelineParts {
  readonly settings: HttpSettings;
  readonly services: Services;
  readonly databases: DatabaseDirectory;
  readonly matcher: RouteMatcher;
  readonly reach: AdministrationReach;
  readonly steps: ReadonlyMap<Route, RouteSteps>;
  readonly digests: Digests;
  readonly credentialReader: CredentialReader;
  readonly traffic: ChannelTraffic;
  readonly publishedKeys: PublishedKeys;
  readonly listedOrigins: ListedOrigins;
  readonly load: LoadGauge;
  readonly requests: DatabaseRequests;
  /** Number of incomplete bodies per network. */
  readonly incompleteBodies: NetworkBudget;
  /** Number of files being uploaded or downloaded per network. */
  readonly transfers: NetworkBudget;
  /** Processor time for clients that are not authenticated. */
  readonly budget: Pick<ProcessorBudget, "spend">;
}

/** One check or action. Throws a `ServiceError` to reject the request. */
export type Step = (exchange: Exchange, parts: PipelineParts) => void | Promise<void>;

/** A step, and the check that explains its refusal. Without a database there is no explanation. */
export type CheckedStep = readonly [check: RequestCheck | null, step: Step];

/** The steps of the requests of one route, in order. */
export interface RouteSteps {
  /** Until the caller is known. */
  readonly caller: readonly CheckedStep[];
  /** Those that follow in a secure session, whose messages are encrypted. */
  readonly secure: readonly CheckedStep[];
  /** Those that follow for any other caller. */
  readonly plain: readonly CheckedStep[];
}
