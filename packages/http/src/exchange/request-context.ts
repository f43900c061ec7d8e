import type { ServerResponse } from "node:http";
import { personOf } from "@sallyport/storage";
import { type RequestContext, type Uses } from "@sallyport/core";
import { sessionEndedCode } from "./credentials.ts";
import type { Exchange } from "./exchange.ts";

/** Context of the request. Earlier steps guarantee the parts that the access level requires. */
export function contextOf<Provided>(exchange: Exchange, services: Provided): RequestContext & Uses<Provided> {
  const { requestId, origin, admission, response } = exchange;
  const { modelGeneration, settingsGeneration, appKey, session, principal } = admission;
  const onDisconnect = (call: () => void) => whenDisconnected(response, call);
  const database = exchange.database.inTurns({
    person: session === null ? `network:${origin.network}` : personOf(session),
    session: exchange.session?.digest ?? origin.network,
    onDisconnect,
    hasLeft: () => response.destroyed,
  });
  // One literal: every request passes here, and V8 makes a hidden class for each object that begins with a spread one.
  const context = {
    requestId,
    origin,
    database,
    modelGeneration,
    settingsGeneration,
    appKey,
    session,
    principal,
    services,
    r: database.storage.repositories,
    unit: database.unit,
    sessionDigest: exchange.session?.digest ?? null,
    appKeyDigest: exchange.appKeyDigest,
    basis: exchange.basis,
    get sessionEndedCode() {
      return sessionEndedCode(exchange.credentials);
    },
    onDisconnect,
  };
  return context satisfies RequestContext;
}

/** Calls `call` when the client disconnects, at once if it already has. Returns a function to unsubscribe. */
export function whenDisconnected(response: ServerResponse, call: () => void): () => void {
  if (response.destroyed) {
    call();
    return () => {};
  }
  response.once("close", call);
  return () => void response.off("close", call);
}
