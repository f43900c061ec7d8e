import type { ServerResponse } from "node:http";
import { headerNames, parseIfMatch } from "@sallyport/contract";
import type { RequestContext } from "@sallyport/core";
import { cookieValue } from "../credentials/cookies.ts";
import { overCode } from "../credentials/presented-credentials.ts";
import { writeAnswer } from "../envelope/answer.ts";
import { writeSuccess } from "../envelope/success.ts";
import type { RouteHandler, RouteInput } from "../routes/route.ts";
import type { Exchange } from "./exchange.ts";
import { mailLanguage } from "./mail-language.ts";
import type { Step } from "./step.ts";

/** Calls the use case of the route and writes what it gives back. */
export const handle: Step = async (exchange, { settings }) => {
  const { route, request, body, query, matched } = exchange;
  const parameter = (name: string) => matched?.parameters.get(name) ?? "";
  const expectedVersions = parseIfMatch(request.headers[headerNames.ifMatch]);
  const note: RouteInput<unknown, unknown>["note"] = (items) => {
    exchange.items = items;
  };
  const language = mailLanguage(request.headers[headerNames.acceptLanguage]);
  const cookie = (name: string) => cookieValue(request.headers.cookie, name);
  const input = {
    body,
    query,
    parameter,
    expectedVersions,
    settings,
    language,
    appKeyDigest: exchange.appKeyDigest,
    cookie,
    note,
  };
  const success = await (route.handle as RouteHandler)(contextOf(exchange), input);
  if ("document" in success) writeAnswer(exchange, 200, success.document);
  else {
    exchange.failure = success.failure;
    await writeSuccess(exchange, success);
  }
};

/** The context of the request; the steps before have made sure that what the route's access promises is there. */
function contextOf(exchange: Exchange): RequestContext {
  const { requestId, origin, database, admission, response } = exchange;
  const { modelGeneration, macroGeneration, appKey, session, principal } = admission;
  const r = database.storage.repositories;
  const sessionDigest = exchange.session?.digest ?? null;
  const presented = { session, principal, sessionDigest, overCode: overCode(exchange.credentials) };
  const onGone = (call: () => void) => whenGone(response, call);
  const context = {
    requestId,
    origin,
    database,
    r,
    unit: database.unit,
    modelGeneration,
    macroGeneration,
    onGone,
    appKey,
    ...presented,
  };
  return context satisfies RequestContext;
}

function whenGone(response: ServerResponse, call: () => void): () => void {
  if (response.destroyed) {
    call();
    return () => {};
  }
  response.once("close", call);
  return () => void response.off("close", call);
}
