import { expect } from "../../matchers/expect.ts";
import type { Case } from "./case.ts";

const invoices = "/v1/objects/Invoice/count";
const ofQuery = (query: unknown, more = "") =>
  `${invoices}?query=${encodeURIComponent(typeof query === "string" ? query : JSON.stringify(query))}${more}`;

const counted = (title: string, path: string, count: number): Case => ({
  title,
  as: "reader",
  path,
  expect: { code: 0, data: (data) => expect(data).toEqual({ count, capped: false }) },
});

const refused = (path: string, code: number): Case => ({
  title: `refuses the count ${path.slice(0, 120)}`,
  as: "reader",
  path,
  expect: { code, lacks: ["select", "SQL", "capped"] },
});

/** Counts without a list. */
export const countCases: readonly Case[] = [
  counted("counts a class", invoices, 1_000),
  counted("counts a class in time", `${invoices}?limit=60000`, 1_000),
  counted("counts matching objects", ofQuery({ where: { Number: { $like: "2025-0000_" } } }), 9),
  counted("counts matching objects in time", ofQuery({ where: { "Customer.Name": "nobody" } }, "&limit=60000"), 0),
  ...["0", "60001", "1.5", "-1", "x", ""].map((limit) => refused(`${invoices}?limit=${limit}`, 307)),
  refused(ofQuery({ where: { Nothing: 1 } }), 307),
  refused(ofQuery("{"), 308),
  refused(ofQuery([]), 329),
  ...["Nothing", "invoice", "__proto__", "1"].map((name) => refused(`/v1/objects/${name}/count`, 304)),
  { title: "requires a session for a count", path: invoices, expect: { code: 200 } },
];
