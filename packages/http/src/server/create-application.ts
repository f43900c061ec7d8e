import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import express, { type Express } from "express";
import { PieceGatherer } from "../body/piece-gatherer.ts";
import { Connections, refuseUnparsed } from "../connections/connections.ts";
import { failureOf, writeFailure } from "../envelope.ts";
import { LoadGauge, NetworkBudget } from "../load-gauge.ts";
import { type Operations, operationsAnswer } from "../operations-listener.ts";
import { OriginResolver } from "../client-origin.ts";
import { faultOf, runPipeline } from "../pipeline/pipeline.ts";
import { Exchange, type PipelineParts } from "../pipeline/exchange.ts";
import { asksForPage, playgroundRouter } from "../playground/playground-router.ts";
import type { Playground } from "../playground/playground-pages.ts";
import type { Route } from "../routes/route.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import { requestIdOf, type RequestObserver } from "./http-settings.ts";

export interface ApplicationParts extends Omit<PipelineParts, "matcher" | "load" | "incompleteBodies"> {
  readonly routes: readonly Route[];
  readonly operations: Operations;
  /** `null` when there is no page at `/docs`. */
  readonly playground: Playground | null;
  readonly observer: RequestObserver;
}

export interface Application {
  /** For `http.createServer`, and for tests. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Answers what never became a request; the reason is for the log. */
  readonly refuse: (socket: Socket, reason: string) => void;
  /** What the server that calls the listener should make its messages of; it works with Node's own, too. */
  readonly messages: MessageClasses;
  readonly load: LoadGauge;
  readonly connections: Connections;
  /** Requests whose body is still to come. */
  readonly incompleteBodies: NetworkBudget;
  /** Bytes of answers that clients have not taken yet. */
  readonly sendBufferBytes: NetworkBudget;
}

/** The Express application: every request enters the pipeline, and every answer leaves through it. */
export function createApplication(parts: ApplicationParts): Application {
  const { settings, databases, observer, operations, playground } = parts;
  const { maxIncompleteBodies, maxSendBufferBytes, sendTimeout, debugMessages } = settings;
  const load = new LoadGauge(settings.maxRequestsInFlight);
  const incompleteBodies = new NetworkBudget(maxIncompleteBodies);
  const sendBufferBytes = new NetworkBudget(maxSendBufferBytes);
  const origins = new OriginResolver(settings.trustedProxies);
  const connections = new Connections({
    mayWait: settings.maxPipelinedRequests,
    perIp: settings.maxConnectionsPerIp,
    networkOf: (socket) => origins.clientNetwork(socket),
  });
  const matcher = new RouteMatcher(parts.routes);
  const pipeline: PipelineParts = { ...parts, load, matcher, incompleteBodies };

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
    // Not before the answer is taken: one that nobody reads is still in memory.
    response.on("close", () => share.end());
    let error: unknown;
    try {
      await runPipeline(exchange, pipeline);
    } catch (thrown) {
      error = thrown;
      writeFailure(exchange, failureOf(thrown), debugMessages);
    } finally {
      watchUntaken(exchange, sendTimeout);
      observe(observer, exchange, error ?? exchange.failure);
    }
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void | Promise<void> => {
    const operation = operationsAnswer(request, operations, origins);
    const inOrder = operation !== undefined && faultOf(request) === null;
    if (inOrder) response.setHeader("X-Request-Id", requestIdOf(request));
    const answering = inOrder ? operation(request, response, operations, origins) : serve(request, response);
    return answering?.catch(() => void response.destroy());
  };

  const application: Express = express();
  application.disable("x-powered-by").disable("etag");
  const documentation = playground === null ? null : playgroundRouter({ playground, databases, settings });
  application.use((request, response, next) => {
    // Asked first, because to look for a route costs every request what most of them do not need.
    if (documentation !== null && asksForPage(request, settings.basePath) && faultOf(request) === null)
      return documentation(request, response, next);
    return answer(request, response);
  });
  if (documentation !== null) application.use((request, response) => answer(request, response));
  // Express answers what it cannot route by itself, and in its own words, unless it is told where to go on.
  const enter = application as unknown as (
    request: IncomingMessage,
    response: ServerResponse,
    fallBack: () => void,
  ) => void;
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    enter(request, response, () => void answer(request, response));
  };
  const messages = expressMessages(application, ({ socket }) =>
    connections.refuseBody(socket, "The body came in too many pieces."),
  );
  const refusal = { connections, origins, observer, debugMessages };
  return {
    load,
    connections,
    incompleteBodies,
    sendBufferBytes,
    messages,
    refuse: (socket, reason) => refuseUnparsed(socket, reason, refusal),
    listener: (request, response) => connections.of(request.socket).take(request, response, begin),
  };
}

/** What the HTTP server makes requests and responses of. */
interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Classes whose instances are born with the prototypes that Express gives to requests and responses. It changes the
 * prototype of each otherwise, after which the engine knows nothing of the object's shape any more and every later
 * access to it is slow: a third of the time of a small request. `refuseBody` is told of bodies that come in too many pieces.
 */
function expressMessages(application: Express, refuseBody: (request: IncomingMessage) => void): MessageClasses {
  class ExpressRequest extends IncomingMessage {
    private gatherer: PieceGatherer | null = null;

    /** Node calls it with each piece of the body as it comes, and with `null` at the end. */
    override push(piece: Buffer | null): boolean {
      if (piece === null && this.gatherer === null) return super.push(null);
      this.gatherer ??= new PieceGatherer({ take: (block) => super.push(block), refuse: () => refuseBody(this) });
      return this.gatherer.push(piece);
    }
  }
  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  // Express's own prototypes end in those of Node's classes.
  Object.setPrototypeOf(ExpressRequest.prototype, application.request);
  Object.setPrototypeOf(ExpressResponse.prototype, application.response);
  application.request = ExpressRequest.prototype as unknown as typeof application.request;
  application.response = ExpressResponse.prototype as typeof application.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Tells of an answer that is written; `error` is what has failed, if anything has. */
function observe(observer: RequestObserver, exchange: Exchange, error: unknown): void {
  const { requestId, request, response, alias, matched, origin, startedAt, items } = exchange;
  observer.answered({
    requestId,
    method: request.method ?? "",
    alias,
    route: matched?.pattern ?? null,
    status: response.statusCode,
    code: error === undefined ? 0 : failureOf(error).code,
    duration: performance.now() - startedAt,
    address: origin.address,
    ...(items === null ? {} : { items }),
    ...(error === undefined ? {} : { error }),
  });
}

/** Milliseconds that any client may take for an answer before it counts as unread. */
const grace = 1_000;

/**
 * Watches an answer that is still in memory because the client does not read. Its bytes count against the client's network until they are
 * sent. After a second the request no longer counts as work. After `patience` milliseconds without progress the connection is cut.
 */
function watchUntaken(
  { request, response, origin, share, sendBufferBytes, answerBytes }: Exchange,
  waitTimeout: number,
): void {
  const { socket } = request;
  if (socket.destroyed || socket.writableLength === 0) return;
  const { network } = origin;
  sendBufferBytes.take(network, answerBytes);
  const late = setTimeout(() => share.end(), grace).unref();
  const stalled = setTimeout(() => socket.destroy(), waitTimeout).unref();
  response.on("drain", () => stalled.refresh());
  response.once("close", () => {
    sendBufferBytes.giveBack(network, answerBytes);
    clearTimeout(late);
    clearTimeout(stalled);
  });
}
