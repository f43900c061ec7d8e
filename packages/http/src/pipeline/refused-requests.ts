import type { SessionMode } from "@sallyport/storage";
import type { Database, RefusedRequest } from "@sallyport/core";
import * as z from "zod";
import type { Route } from "../route.ts";
import type { Exchange } from "../exchange/exchange.ts";

/** Port: receives every refused request with a database, after its response. Must neither throw nor wait. */
export interface RefusalRecorder {
  refused(database: Database, refused: RefusedRequest): void;
}

/** Builds the description of a refused request. `null` for a success, and for a request without a database. */
export class RefusedRequests {
  private names: ReadonlySet<string> | undefined;

  constructor(private readonly routes: readonly Route[]) {}

  /** @param error the failure of the request; `undefined` if it succeeded */
  of(exchange: Exchange, error: unknown): RefusedRequest | null {
    const { database, route, requestId, origin, check, matched, items } = exchange;
    if (error === undefined && items === null) return null;
    const failed = (items ?? []).flatMap(({ error: ofItem, method, route: pattern }, index) =>
      ofItem === undefined ? [] : [{ index, method: method ?? "", route: pattern ?? "", error: ofItem }],
    );
    // Before `findDatabase` there is no database to store it in.
    if ((error === undefined && failed.length === 0) || database === undefined) return null;
    return {
      requestId,
      network: origin.network,
      method: route?.method ?? "OPTIONS",
      route: matched?.pattern ?? "",
      // A redirect with a failure comes from the operation.
      check: error === undefined ? null : (check ?? "operation"),
      ...callerOf(exchange),
      ...(error === undefined ? {} : { error }),
      items: failed,
      fields: () => (this.names ??= fieldNames(this.routes)),
      at: performance.now(),
    };
  }
}

function callerOf({ admission }: Partial<Pick<Exchange, "admission">>): {
  readonly appKey: string | null;
  readonly mode: SessionMode | null;
  readonly accountId: string | null;
} {
  const session = admission?.session ?? null;
  const method = session?.authenticationMethod;
  return {
    appKey: admission?.appKey?.name ?? null,
    mode: session?.mode ?? null,
    accountId: method?.kind === "custom" ? method.accountId : (session?.userId ?? null),
  };
}

/** The names of all fields of bodies and queries. */
function fieldNames(routes: readonly Route[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { body, query } of routes)
    for (const schema of [body?.json ?? body?.form, query])
      if (schema !== undefined) collect(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), names);
  return names;
}

function collect(schema: unknown, names: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") for (const name of Object.keys(value as object)) names.add(name);
    collect(value, names);
  }
}
