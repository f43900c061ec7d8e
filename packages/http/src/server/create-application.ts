import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Admission } from "@sallyport/storage";
import { publicSessionId } from "@sallyport/core";
import express, { type Express } from "express";
import { PieceGatherer } from "../body/piece-gatherer.ts";
import { Connections, refuseUnparsed } from "../connections/connections.ts";
import { DatabaseRequests } from "../database-requests.ts";
import { writeFailure } from "../answer.ts";
import { failureOf } from "../envelope.ts";
import { EventLoopDelay, LoadGauge, NetworkBudget } from "../load-gauge.ts";
import { type NamedObject, objectOfPath } from "../named-object.ts";
import {
  type Monitoring,
  type MonitoringAnswer,
  monitoringAnswer,
  monitoringPaths,
  writeMonitoring,
} from "../monitoring.ts";
import { AdministrationReach, type ReachSettings } from "../administration-reach.ts";
import { OriginResolver } from "../client-origin.ts";
import { type Console, consoleRouter } from "../console/console-router.ts";
import { idleTimeoutOf } from "../exchange/admission.ts";
import { serverCorsHeaders } from "../pipeline/cors.ts";
import { faultOf, runPipeline, stepsOfRoutes } from "../pipeline/pipeline.ts";
import { Exchange, type PipelineParts, requestIdOf } from "../exchange/exchange.ts";
import { ListedOrigins } from "../exchange/listed-origins.ts";
import { type RefusalRecorder, RefusedRequests } from "../pipeline/refused-requests.ts";
import { playgroundRouter } from "../playground/playground-router.ts";
import type { Playground } from "../playground/playground-pages.ts";
import type { Route } from "../route.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import type { ItemRecord, RequestObserver, TrafficRecorder } from "../http-settings.ts";

export interface ApplicationParts
  extends Omit<
    PipelineParts,
    "matcher" | "reach" | "steps" | "load" | "requests" | "incompleteBodies" | "transfers" | "listedOrigins"
  > {
  readonly routes: readonly Route[];
  /** Whether all requests are those of the operator. Default: none is. */
  readonly isForOperator?: boolean;
  readonly monitoring: Monitoring;
  /** `null` disables the page at `/docs`. */
  readonly playground: Playground | null;
  /** `null` disables the console. */
  readonly console: Console | null;
  /** From where the console and the administration routes are reached. The operator reaches them always. */
  readonly reach: ReachSettings;
  readonly observer: RequestObserver;
  /** `null` records no refusals. */
  readonly refusalRecorder: RefusalRecorder | null;
  readonly trafficRecorder: TrafficRecorder;
}

export interface Application {
  /** Listener for `http.createServer` and for tests. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** The same for the listener of the console and the administration routes. */
  readonly administrationListener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers input that never became a request. The reason is for the log. */
  readonly refuse: (socket: Socket, reason: string) => void;
  /** Message classes for the HTTP server. The listener also works with Node's own. */
  readonly messages: MessageClasses;
  /** Whether the console is enabled and built. */
  readonly hasConsole: boolean;
  readonly load: LoadGauge;
  readonly requests: DatabaseRequests;
  readonly connections: Connections;
  /** Number of incomplete bodies per network. */
  readonly incompleteBodies: NetworkBudget;
  /** Number of files being uploaded or downloaded per network. */
  readonly transfers: NetworkBudget;
  /** Bytes of responses that clients have not read. */
  readonly sendBufferBytes: NetworkBudget;
}

/** Creates the Express application. Every API request and response passes through the pipeline. */
export function createApplication(parts: ApplicationParts): Application {
  const { settings, databases, observer, monitoring, playground, refusalRecorder, trafficRecorder } = parts;
  const { maxIncompleteBodies, maxSendBufferBytes, sendTimeout, debugMessages } = settings;
  const eventLoop = settings.shedding === null ? null : new EventLoopDelay(settings.shedding);
  const load = new LoadGauge(settings.maxRequestsInFlight, eventLoop);
  const requests = new DatabaseRequests();
  const incompleteBodies = new NetworkBudget(maxIncompleteBodies);
  const transfers = new NetworkBudget(settings.maxTransfers);
  const sendBufferBytes = new NetworkBudget(maxSendBufferBytes);
  const origins = new OriginResolver(settings.trustedProxies);
  const connections = new Connections({
    mayWait: settings.maxPipelinedRequests,
    bounds: settings.maxConnections,
    networkOf: (socket) => origins.clientNetwork(socket),
  });
  const reach = new AdministrationReach(parts.isForOperator === true ? everywhere : parts.reach, origins);
  const matcher = new RouteMatcher(parts.routes);
  const refusals = new RefusedRequests(parts.routes);
  const listedOrigins = new ListedOrigins();
  const steps = stepsOfRoutes(parts.routes, parts.isForOperator);
  const shared = { load, requests, incompleteBodies, transfers, listedOrigins };
  const pipeline: PipelineParts = { ...parts, ...shared, matcher, reach, steps };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const share = load.enter();
    const connection = connections.of(request.socket);
    const exchange = new Exchange(
      request,
      response,
      requestIdOf(request),
      origins.resolve(request),
      connection,
      share,
      sendBufferBytes,
    );
    // An unread response still occupies memory, and the request of a client that has left still works.
    const open = { work: true, response: true };
    const end = (part: keyof typeof open): void => {
      open[part] = false;
      if (open.work || open.response) return;
      share.end();
      exchange.use?.end();
    };
    response.on("close", () => {
      countTraffic(exchange, trafficRecorder);
      // Before the connection begins its next request.
      end("response");
    });
    let error: unknown;
    try {
      await runPipeline(exchange, pipeline);
    } catch (thrown) {
      error = thrown;
      writeFailure(exchange, failureOf(thrown), debugMessages);
    } finally {
      end("work");
      watchSendBuffer(exchange, sendTimeout);
      const failure = error ?? exchange.failure;
      observe(observer, exchange, failure);
      if (failure !== undefined || (exchange.items ?? []).length > 0) {
        const refused = refusals.of(exchange, failure);
        if (refused !== null) refusalRecorder?.refused(exchange.database, refused);
      }
    }
  };

  const answerMonitoring = async (
    request: IncomingMessage,
    response: ServerResponse,
    { reply, forPages }: MonitoringAnswer,
  ): Promise<void> => {
    const { origin } = request.headers;
    const cors = forPages && origin !== undefined ? await serverCorsHeaders(origin, databases, listedOrigins) : {};
    writeMonitoring(response, await reply(), { "X-Request-Id": requestIdOf(request), ...cors });
  };

  const answer = (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isMonitored = monitoringPaths.has((request.url ?? "").split("?", 1)[0] as string);
    const monitored = isMonitored ? monitoringAnswer(request, monitoring, origins) : undefined;
    const answering =
      monitored === undefined || faultOf(request) !== null
        ? serve(request, response)
        : answerMonitoring(request, response, monitored);
    return answering.catch(() => void response.destroy());
  };

  const application: Express = express();
  application.disable("x-powered-by").disable("etag");
  const page = parts.console === null ? null : consoleRouter({ console: parts.console, databases, settings, reach });
  const pages = [page, playground === null ? null : playgroundRouter({ playground, databases, settings })].filter(
    (router) => router !== null,
  );
  application.use((request, response, next) => {
    // This check is cheaper than Express routing, which most requests do not need.
    if (pages.length > 0 && asksForPage(request, settings.basePath) && faultOf(request) === null) return next();
    return answer(request, response);
  });
  for (const router of pages) application.use(router);
  application.use((request, response) => answer(request, response));
  // Without a fallback, Express answers unroutable requests itself.
  const handleRequest = application as unknown as (
    request: IncomingMessage,
    response: ServerResponse,
    fallBack: () => void,
  ) => void;
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    handleRequest(request, response, () => void answer(request, response));
  };
  const messages = expressMessages(application, ({ socket }) =>
    connections.refuseBody(socket, "The body has too many chunks."),
  );
  const listener: Application["listener"] = (request, response) =>
    connections.of(request.socket).take(request, response, begin);
  const refusal = { connections, origins, observer, debugMessages };
  return {
    load,
    requests,
    connections,
    incompleteBodies,
    transfers,
    sendBufferBytes,
    messages,
    hasConsole: page !== null,
    refuse: (socket, reason) => refuseUnparsed(socket, reason, refusal),
    listener,
    administrationListener: (request, response) => {
      reach.enter(request.socket);
      listener(request, response);
    },
  };
}

const everywhere: ReachSettings = { allow: [], hasListener: false };

/** Whether a browser requests the start page, or a page of the console or the documentation. */
function asksForPage({ method, url = "", headers }: IncomingMessage, basePath: string): boolean {
  if (url.includes("/docs") || url.includes("/console")) return true;
  const path = url.split("?", 1)[0];
  return (
    (method === "GET" || method === "HEAD") &&
    (path === "/" || path === basePath || path === `${basePath}/`) &&
    /\btext\/html\b/.test(headers.accept ?? "")
  );
}

/** Message classes of the HTTP server. */
interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Message classes whose prototypes are those of Express. Otherwise Express replaces the prototype of each object, which
 * deoptimizes every later access: a third of the time of a small request. `refuseBody` is called for bodies with too
 * many small chunks.
 */
function expressMessages(application: Express, refuseBody: (request: IncomingMessage) => void): MessageClasses {
  class ExpressRequest extends IncomingMessage {
    /** Made with the first chunk. */
    declare private gatherer?: PieceGatherer;

    /** Node calls it with each chunk of the body, and with `null` at the end. */
    override push(piece: Buffer | null): boolean {
      if (piece === null && this.gatherer === undefined) return super.push(null);
      this.gatherer ??= new PieceGatherer({ take: (block) => super.push(block), refuse: () => refuseBody(this) });
      return this.gatherer.push(piece);
    }
  }
  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  // Express's own prototypes inherit from those of Node.
  Object.setPrototypeOf(ExpressRequest.prototype, application.request);
  Object.setPrototypeOf(ExpressResponse.prototype, application.response);
  application.request = ExpressRequest.prototype as unknown as typeof application.request;
  application.response = ExpressResponse.prototype as typeof application.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Reports a written response. `error` is `undefined` for a success. */
function observe(observer: RequestObserver, exchange: Exchange, error: unknown): void {
  const { requestId, request, response, alias, matched, origin, startedAt, items, channel, session } = exchange;
  // Not yet set if an earlier step has failed.
  const admission = exchange.admission as Admission | undefined;
  const live = admission?.session;
  const method = live?.authenticationMethod;
  // Bodies of secure sessions are secret, and so are their objects.
  const answered = channel === null ? exchange.answered : unnamed;
  const ofPath = matched === null ? unnamed : objectOfPath(matched);
  // One literal: every request passes here, and spreading parts into it took two per cent of a small one.
  observer.answered({
    requestId,
    method: request.method ?? "",
    alias,
    route: matched?.pattern ?? null,
    status: response.statusCode,
    code: error === undefined ? 0 : failureOf(error).code,
    duration: performance.now() - startedAt,
    address: origin.address,
    session: session === null || !live ? undefined : publicSessionId(session.digest),
    userId: admission?.principal?.userId,
    customUserId: method?.kind === "custom" ? method.accountId : undefined,
    appKeyId: admission?.appKey?.id,
    className: answered.className ?? ofPath.className,
    objectId: answered.objectId ?? ofPath.objectId,
    items: items === null || channel === null ? (items ?? undefined) : items.map(withoutObject),
    error,
  });
}

const unnamed: NamedObject = {};

function withoutObject({ className: _1, objectId: _2, ...item }: ItemRecord): ItemRecord {
  return item;
}

/** Reports the bytes of a request with a live session. */
function countTraffic(exchange: Exchange, recorder: TrafficRecorder): void {
  const traffic = exchange.connection.takeTraffic();
  // Without an admission, the credential can be of any form.
  if (exchange.session === null || !exchange.isAdmitted) return;
  const idleTimeout = idleTimeoutOf(exchange);
  recorder.transferred(exchange.database, exchange.session.digest, { ...traffic, idleTimeout });
}

/** Milliseconds before a response counts as unread. */
const releaseDelay = 1_000;

/**
 * Watches a response that the client has not read. Its bytes count against the network until sent. After a second the
 * request no longer counts as active. After `waitTimeout` milliseconds without progress the socket is destroyed.
 */
function watchSendBuffer(
  { request, response, origin, share, sendBufferBytes, answerBytes }: Exchange,
  waitTimeout: number,
): void {
  const { socket } = request;
  if (socket.destroyed || socket.writableLength === 0) return;
  const { network } = origin;
  sendBufferBytes.take(network, answerBytes);
  const late = setTimeout(() => share.end(), releaseDelay).unref();
  const stalled = setTimeout(() => socket.destroy(), waitTimeout).unref();
  response.on("drain", () => stalled.refresh());
  response.once("close", () => {
    sendBufferBytes.release(network, answerBytes);
    clearTimeout(late);
    clearTimeout(stalled);
  });
}
