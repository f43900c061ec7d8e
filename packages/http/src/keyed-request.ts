import { headerNames, onlyReads } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import {
  type KeyedRequest,
  type Serialization,
  type SessionContext,
  executeOnceApart,
  executeOnce,
} from "@sallyport/core";
import type { Exchange } from "./exchange/exchange.ts";
import { nothing, type Route, type RouteHandler, type Served, type Success } from "./route.ts";

const keyForm = /^[\x20-\x7e]{1,128}$/;

/** The request with its `Idempotency-Key`; `null` without one. Throws 307 for a malformed key, or for two different ones. */
export function keyedRequest({ request, database, matched, queryString, bytes }: Exchange): KeyedRequest | null {
  const values = request.headersDistinct[headerNames.idempotencyKey];
  if (values === undefined) return null;
  const [key = "", ...others] = new Set(values);
  if (others.length > 0 || !keyForm.test(key))
    throw new ServiceError(307, { detail: "Idempotency-Key must have 1 to 128 printable ASCII characters." });
  // Without the alias: the database can be restored under another one.
  const path = [matched?.pattern, ...(matched?.parameters.values() ?? [])];
  // The text has a character per byte, so different bodies are different texts.
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return {
    key,
    contents: database.digests.sha256(JSON.stringify([request.method, path, queryString, body])),
    isPart: false,
  };
}

/** An item of a multi request with a key: its own key is that of the request with its index. */
export function keyedItem({ key, contents }: KeyedRequest, index: number): KeyedRequest {
  return { key: `${key}#${index}`, contents, isPart: true };
}

/** Whether items of the route are executed once. Others can be repeated, or cannot share a transaction. */
export function takesItemKey(route: Route): boolean {
  return !onlyReads(route) && route.effect !== "model";
}

/** The route, which executes a request with a key once. */
export function executedOnce(route: Route): Route {
  const { handle } = route;
  const handleOnce: RouteHandler = (context, input) => {
    const { serialization } = (input.query ?? {}) as { readonly serialization?: Serialization | undefined };
    const keyed = { ...(input.keyed as KeyedRequest), serialization };
    const work = async (inside: Served<SessionContext>) => ((await handle(inside, input)) ?? nothing) as Success;
    // Only routes with sessions take keys.
    const session = context as Served<SessionContext>;
    if (route.apart !== undefined) return executeOnceApart(session, keyed, work, route.apart);
    return withWorkers(session, route.effect === "macro", (ready) => executeOnce(ready, keyed, work));
  };
  return { ...route, handleOnce };
}

/** Reserves worker threads for macros and hooks before a transaction. Waiting for one must not hold a database connection. */
export async function withWorkers<T>(
  context: Served<SessionContext>,
  executesMacro: boolean,
  work: (context: Served<SessionContext>) => Promise<T>,
): Promise<T> {
  const { objectHooks, macroRunner } = context.services;
  const active = await objectHooks.current(context);
  if (active !== null) return active.prepared(context, work);
  return executesMacro ? macroRunner.withLease(context, work) : work(context);
}
