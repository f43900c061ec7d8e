import { jest } from "@jest/globals";
import type { TimedQuery } from "@sallyport/core";
import pino from "pino";
import { SlowQueryLog } from "./slow-query-log.ts";

function linesOf(threshold: number, level: string, ...queries: readonly TimedQuery[]): object[] {
  const lines: object[] = [];
  const log = new SlowQueryLog(
    pino({ level, base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) }),
    threshold,
  );
  for (const query of queries) log.took(query);
  return lines;
}

const query: TimedQuery = {
  requestId: "r1",
  alias: "",
  className: "Invoice",
  milliseconds: 700,
  unindexed: () => ["Invoice.Amount", "Customer.Name"],
};

test("a slow query is a line that names the missing indexes", () => {
  const facts = { level: 40, requestId: "r1", alias: "", class: "Invoice", milliseconds: 700 };
  expect(linesOf(500, "info", query, { ...query, unindexed: () => [] })).toEqual([
    {
      ...facts,
      missingIndexes: ["Invoice.Amount", "Customer.Name"],
      msg: "slow query of Invoice; an index could help: Invoice.Amount, Customer.Name",
    },
    { ...facts, missingIndexes: [], msg: "slow query of Invoice" },
  ]);
});

test("what is not slow, or not to be logged, is not looked at", () => {
  const unindexed = jest.fn(() => []);
  expect(linesOf(701, "info", { ...query, unindexed })).toEqual([]);
  expect(linesOf(500, "error", { ...query, unindexed })).toEqual([]);
  expect(unindexed).not.toHaveBeenCalled();
});
