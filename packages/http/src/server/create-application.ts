import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ChannelTraffic, CredentialReader, Digests } from "@sallyport/core";
import express, { type Express } from "express";
import { Connections } from "../connections/connections.ts";
import { refuseUnparsed } from "../connections/refuse-unparsed.ts";
import { failureOf, writeFailure } from "../envelope/failure.ts";
import { NetworkBudget } from "../load/network-budget.ts";
import { LoadGauge } from "../load/load-gauge.ts";
import { watchUntaken } from "../load/untaken-answer.ts";
import { operationsAnswer } from "../operations/operations-listener.ts";
import type { Operations } from "../operations/operations.ts";
import { OriginResolver } from "../origin/client-origin.ts";
import { faultOf } from "../pipeline/check-message.ts";
import { Exchange } from "../pipeline/exchange.ts";
import { runPipeline } from "../pipeline/pipeline.ts";
import type { PipelineParts } from "../pipeline/step.ts";
import type { Playground } from "../playground/playground.ts";
import { asksForPage, playgroundRouter } from "../playground/playground-router.ts";
import type { PublishedKeys } from "../well-known/published-keys.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import type { Route } from "../routes/route.ts";
import type { DatabaseDirectory } from "./database-entry.ts";
import { expressMessages, type MessageClasses } from "./express-messages.ts";
import type { HttpSettings } from "./http-settings.ts";
import { observe } from "./observe.ts";
import type { RequestObserver } from "./request-observer.ts";
import { requestIdOf } from "./request-id.ts";

export interface ApplicationParts {
  readonly settings: HttpSettings;
  readonly databases: DatabaseDirectory;
  readonly routes: readonly Route[];
  readonly digests: Digests;
  readonly credentialReader: CredentialReader;
  readonly traffic: ChannelTraffic;
  readonly publishedKeys: PublishedKeys;
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
  readonly awaitedBodies: NetworkBudget;
  /** Bytes of answers that clients have not taken yet. */
  readonly untakenBytes: NetworkBudget;
}

/** The Express application: every request enters the pipeline, and every answer leaves through it. */
export function createApplication(parts: ApplicationParts): Application {
  const { settings, databases, digests, credentialReader, traffic, publishedKeys, observer, operations, playground } =
    parts;
  const { maxAwaitedBodies, maxUntakenBytes, stalledReaderTimeout, debugMessages } = settings;
  const load = new LoadGauge(settings.maxInFlight);
  const awaitedBodies = new NetworkBudget(maxAwaitedBodies);
  const untakenBytes = new NetworkBudget(maxUntakenBytes);
  const origins = new OriginResolver(settings.trustedProxies);
  const connections = new Connections({
    mayWait: settings.maxPipelined,
    perNetwork: settings.maxConnectionsPerNetwork,
    networkOf: (socket) => origins.clientNetwork(socket),
  });
  const matcher = new RouteMatcher(parts.routes);
  const known = { settings, databases, digests, credentialReader, traffic, publishedKeys };
  const pipeline: PipelineParts = { ...known, load, matcher, awaitedBodies };

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
      untakenBytes,
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
      watchUntaken(exchange, stalledReaderTimeout);
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
    awaitedBodies,
    untakenBytes,
    messages,
    refuse: (socket, reason) => refuseUnparsed(socket, reason, refusal),
    listener: (request, response) => connections.of(request.socket).take(request, response, begin),
  };
}
