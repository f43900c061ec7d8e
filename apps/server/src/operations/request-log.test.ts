import { jest } from "@jest/globals";
import { type ErrorCode, MacroFault, ServiceError, type TimedQuery } from "@sallyport/core";
import pino from "pino";
import { createLogger } from "./create-logger.ts";
import { RequestLog, SlowQueryLog } from "./request-log.ts";

function lineFor(code: ErrorCode | 0, error?: unknown): Record<string, unknown> {
  const lines: string[] = [];
  const { logger } = createLogger(
    { log: { level: "info", format: "json" }, demo: false },
    { write: (line) => void lines.push(line) },
  );
  const status = code === 0 ? 200 : new ServiceError(code).status;
  new RequestLog(logger).answered({
    requestId: "r-1",
    method: "GET",
    alias: "second",
    route: "/v1/object/{idOrClass}",
    status,
    code,
    duration: 1.2345,
    address: "192.0.2.1",
    ...(error === undefined ? {} : { error }),
  });
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] as string);
}

test("one line describes a request", () => {
  expect(lineFor(0)).toEqual({
    level: "info",
    time: expect.any(String),
    msg: "Request completed",
    requestId: "r-1",
    method: "GET",
    alias: "second",
    route: "/v1/object/{idOrClass}",
    status: 200,
    code: 0,
    durationMs: 1.2,
    address: "192.0.2.1",
  });
});

test.each([
  [304, "info"],
  [201, "info"],
  [302, "warn"],
  [315, "warn"],
  [607, "warn"],
  [706, "warn"],
  [713, "info"],
  [718, "info"],
  [704, "error"],
  [799, "error"],
] as const)("an answer of %d is logged as %s", (code, level) => {
  expect(lineFor(code, new ServiceError(code)).level).toBe(level);
});

test("a failed macro is logged as an error with its own trace, and an unknown one as a warning", () => {
  const fault = new MacroFault("threw", "Macro", "oh", { trace: "    at run (Macro:3:9)" });
  const line = lineFor(710, new ServiceError(710, { detail: "Macro: oh", cause: fault }));
  expect(line).toMatchObject({
    level: "error",
    err: { detail: "Macro: oh", cause: { message: "oh", trace: "    at run (Macro:3:9)" } },
  });
  expect(line["err"]).not.toHaveProperty("cause.stack");
  expect(lineFor(710, new ServiceError(710, { detail: "There is no such macro." }))).toMatchObject({
    level: "warn",
    detail: "There is no such macro.",
  });
});

test("a server failure is logged with its stack and cause", () => {
  const line = lineFor(799, new ServiceError(799, { cause: new Error("underneath") }));
  expect(line["err"]).toMatchObject({
    stack: expect.any(String),
    cause: { message: "underneath", stack: expect.any(String) },
  });
});

test("a multi request is logged with the number of its items, and server failures in separate lines", () => {
  const lines: string[] = [];
  const { logger } = createLogger(
    { log: { level: "info", format: "json" }, demo: false },
    { write: (line) => void lines.push(line) },
  );
  const read = { route: "/v1/object/{idOrClass}", method: "GET" } as const;
  const items = [
    { ...read, status: 200, code: 0 },
    { route: null, method: null, status: 404, code: 304, error: new ServiceError(304) },
    { ...read, status: 500, code: 799, error: new ServiceError(799, { cause: new Error("underneath") }) },
    { ...read, status: 500, code: 713, error: new ServiceError(713) },
  ] as const;
  new RequestLog(logger).answered({
    requestId: "r-1",
    method: "POST",
    alias: "",
    route: "/v1/multi",
    status: 200,
    code: 0,
    duration: 1,
    address: "192.0.2.1",
    items,
  });
  const [failed, request, ...more] = lines.map((line) => JSON.parse(line));
  expect(more).toEqual([]);
  expect(failed).toMatchObject({
    level: "error",
    msg: "Multi item failed",
    requestId: "r-1",
    alias: "",
    item: 2,
    ...read,
    code: 799,
    err: { cause: { message: "underneath" } },
  });
  expect(request).toMatchObject({
    level: "info",
    msg: "Request completed",
    requestId: "r-1",
    code: 0,
    items: 4,
    failedItems: 3,
  });
});

test("a client failure is logged with its detail, without a stack", () => {
  const line = lineFor(307, new ServiceError(307, { detail: "page must be a number" }));
  expect(line["detail"]).toBe("page must be a number");
  expect(line["err"]).toBeUndefined();
});

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

test("a slow query is logged with its missing indexes", () => {
  const facts = { level: 40, requestId: "r1", alias: "", className: "Invoice", durationMs: 700 };
  expect(linesOf(500, "info", query, { ...query, unindexed: () => [] })).toEqual([
    {
      ...facts,
      missingIndexes: ["Invoice.Amount", "Customer.Name"],
      msg: "slow query of Invoice; an index could help: Invoice.Amount, Customer.Name",
    },
    { ...facts, missingIndexes: [], msg: "slow query of Invoice" },
  ]);
});

test("fast or unlogged queries are not analysed", () => {
  const unindexed = jest.fn(() => []);
  expect(linesOf(701, "info", { ...query, unindexed })).toEqual([]);
  expect(linesOf(500, "error", { ...query, unindexed })).toEqual([]);
  expect(unindexed).not.toHaveBeenCalled();
});
