import { allCases } from "./all-cases.ts";
import type { Case } from "./case.ts";
import { routeOf } from "./declared.ts";

const samples = new Map<string, Case>();
for (const each of Object.values(allCases).flat()) {
  const path = typeof each.path === "function" ? each.path({ customerId: "ID", invoiceId: "ID" }) : each.path;
  const route = routeOf(each.method ?? "GET", path);
  const kind = `${route} ${each.as === undefined} ${each.expect.code === 0}`;
  if (route !== undefined && !samples.has(kind)) samples.set(kind, each);
}

/** Of each route the first case that succeeds and the first that fails, with a session and without. */
export const sampledCases: readonly Case[] = [...samples.values()];
