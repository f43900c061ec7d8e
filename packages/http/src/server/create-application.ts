import type { IncomingMessage, ServerResponse } from "node:http";
import type { Digests } from "@sallyport/core";
import express, { type Express } from "express";
import { failureOf, writeFailure } from "../envelope/failure.ts";
import { operationsAnswer } from "../operations/operations-listener.ts";
import type { Operations } from "../operations/operations.ts";
import { OriginResolver } from "../origin/client-origin.ts";
import { Exchange } from "../pipeline/exchange.ts";
import { runPipeline } from "../pipeline/pipeline.ts";
import type { PipelineParts } from "../pipeline/step.ts";
import { RouteMatcher } from "../routing/route-matcher.ts";
import type { Route } from "../routes/route.ts";
import type { DatabaseDirectory } from "./database-entry.ts";
import { expressMessages, type MessageClasses } from "./express-messages.ts";
import type { HttpSettings } from "./http-settings.ts";
import { LoadGauge } from "./load-gauge.ts";
import type { RequestObserver } from "./request-observer.ts";
import { requestIdOf } from "./request-id.ts";

export interface ApplicationParts {
  readonly settings: HttpSettings;
  readonly databases: DatabaseDirectory;
  readonly routes: readonly Route[];
  readonly digests: Digests;
  readonly operations: Operations;
  readonly observer: RequestObserver;
}

export interface Application {
  /** For `http.createServer`, and for tests. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** What the server that calls the listener should make its messages of; it works with Node's own, too. */
  readonly messages: MessageClasses;
  readonly load: LoadGauge;
}

/** The Express application: every request enters the pipeline, and every answer leaves through it. */
export function createApplication(parts: ApplicationParts): Application {
  const { settings, databases, digests, observer, operations } = parts;
  const load = new LoadGauge(settings.maxInFlight);
  const origins = new OriginResolver(settings.trustedProxies);
  const pipeline: PipelineParts = { settings, databases, digests, load, matcher: new RouteMatcher(parts.routes) };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange = new Exchange(request, response, requestIdOf(request), origins.resolve(request));
    if (load.isDraining) exchange.answerHeaders["Connection"] = "close";
    load.enter();
    // Not before the answer is taken: one that nobody reads is still work, and still in memory.
    response.once("close", () => load.leave());
    let error: unknown;
    try {
      await runPipeline(exchange, pipeline);
    } catch (thrown) {
      error = thrown;
      writeFailure(exchange, failureOf(thrown), settings.debugMessages);
    } finally {
      observe(observer, exchange, error);
    }
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void | Promise<void> => {
    const operation = operationsAnswer(request, operations);
    const answering = operation === undefined ? serve(request, response) : operation(request, response, operations);
    return answering?.catch(() => void response.destroy());
  };

  const application: Express = express();
  application.disable("x-powered-by").disable("etag");
  application.use((request, response) => answer(request, response));
  // Express answers what it cannot route by itself, and in its own words, unless it is told where to go on.
  const fallBack = application as unknown as (
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ) => void;
  const messages = expressMessages(application);
  return { load, messages, listener: (request, response) => fallBack(request, response, () => void answer(request, response)) };
}

function observe(observer: RequestObserver, exchange: Exchange, error: unknown): void {
  const { requestId, request, response, alias, matched, origin, startedAt } = exchange;
  observer.answered({
    requestId,
    method: request.method ?? "",
    alias,
    route: matched?.pattern ?? null,
    status: response.statusCode,
    code: error === undefined ? 0 : failureOf(error).code,
    duration: performance.now() - startedAt,
    address: origin.address,
    ...(error === undefined ? {} : { error }),
  });
}
