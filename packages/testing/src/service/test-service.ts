import type { IncomingMessage, ServerResponse } from "node:http";
import type { RecordedAuditEvent } from "@sallyport/server/testing";
import type { Agent, AgentOptions } from "../agents/agent.ts";
import type { ServiceClock, ServiceTimers } from "../clock/service-clock.ts";
import type { RouteFailures } from "../failures/route-failures.ts";
import type { Recording, RecordOptions } from "../record/recording.ts";
import type { TestProviders } from "../providers/test-provider.ts";
import type { LicenceTrap } from "../traps/licence-trap.ts";
import type { MailTrap } from "../traps/mail-trap.ts";
import type { AnsweredRequest, Explanation } from "./answered-request.ts";
import type { DatabaseContent } from "./database-content.ts";

/** An event of the audit. Times are milliseconds since 1970 by the clock of the service. */
export interface AuditedEvent extends Omit<RecordedAuditEvent, "actorId" | "subjectId"> {
  /** The acting user: a name of the content, else an id; `null` without a user. */
  readonly actor: string | null;
  /** The affected user, likewise. */
  readonly subject: string | null;
}

/** Members of each service, in this process or on a server. */
interface ReachableService {
  /** URL of the service. Throws an `Error` for a service in this process without `listen: true`. */
  readonly url: string;

  /** Whether the service is a server that runs elsewhere. */
  readonly isConnected: boolean;

  /** An agent that logs in as a user with its first request. */
  as(user: string, options?: AgentOptions): Agent;

  /** An agent with the app key only. */
  anonymous(options?: Pick<AgentOptions, "alias">): Agent;

  /** The id of a named object, user or group. Throws a `TypeError` for an unknown name. */
  id(name: string, alias?: string): string;

  /**
   * Calls a function after each answered request: of all clients of a service in this process, of the agents of a
   * connected one. Returns a function that ends this.
   */
  onAnswered(listener: (request: AnsweredRequest) => void): () => void;

  /** Ends a service in this process. Ends the sessions of the agents of a connected one. */
  close(): Promise<void>;
}

/** Members that need the inside of a service. On a connected service, each throws an `Error`. */
export interface ServiceInside {
  /** A request handler, for Supertest or `http.createServer`. Needs no port. */
  readonly app: (request: IncomingMessage, response: ServerResponse) => void;
  readonly clock: ServiceClock;
  readonly timers: ServiceTimers;
  /** Receives all mail. */
  readonly mail: MailTrap;
  /** Receives messages about licence seats. Throws an `Error` unless the service was started with `licences: true`. */
  readonly licences: LicenceTrap;
  /** Fake identity providers. Throws an `Error` unless the service was started with `providers: true`. */
  readonly providers: TestProviders;

  /** Fails requests of a route, such as `GET /v1/object/{id}`. Throws a `TypeError` for an unknown route. */
  fail(route: string): RouteFailures;

  /** Adds content to a database. The next reset removes it. */
  seed(content: Omit<DatabaseContent, "classes">, alias?: string): Promise<void>;

  /** Creates an app key of scope `admin`, for `SallyportAdmin` of the client. The next reset removes it. */
  administrationKey(alias?: string): Promise<string>;

  /** Why a request was refused, by its `X-Request-Id`; `null` if it was not refused. */
  why(requestId: string, alias?: string): Promise<Explanation | null>;

  /** The audit of a database, oldest event first. */
  audit(alias?: string): Promise<readonly AuditedEvent[]>;

  /** The last 1,000 requests since the last reset, oldest first, with their bodies. */
  readonly journal: readonly AnsweredRequest[];

  /**
   * Records all requests until `stop`, which writes them as a suite for each log-in mode. Throws a `TypeError` for an
   * invalid name, and an `Error` if the suite exists.
   */
  record(name: string, options?: RecordOptions): Recording;

  /** Restores content, clock and failures as after the start. Agents log in again. */
  reset(): Promise<void>;
}

/** A service under test: in this process, or a server that runs elsewhere. */
export interface TestService extends ReachableService, ServiceInside {}
