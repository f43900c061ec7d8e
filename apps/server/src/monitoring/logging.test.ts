import { jest } from "@jest/globals";
import { type ErrorCode, ServiceError } from "@sallyport/storage";
import { MacroFault, type TimedQuery } from "@sallyport/core";
import pino from "pino";
import { createLogger, visibleText } from "./create-logger.ts";
import { RequestLog, SlowQueryLog } from "./request-log.ts";

describe("create logger", () => {
  function written(format: "json" | "text", log: (logger: ReturnType<typeof createLogger>["logger"]) => void): string {
    const lines: string[] = [];
    const { logger } = createLogger(
      { log: { level: "info", format }, demo: false },
      { write: (line) => void lines.push(line) },
    );
    log(logger);
    return lines.join("");
  }

  const error = new ServiceError(704, {
    cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", password: "S3cret" }),
  });

  test("lines are JSON with level and time", () => {
    const line = JSON.parse(written("json", (logger) => logger.info({ requestId: "r-1" }, "request")));
    expect(line).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      requestId: "r-1",
      msg: "request",
    });
  });

  test("secrets are not logged, at any position", () => {
    const text = written("json", (logger) =>
      logger.info({
        password: "S3cret",
        url: "S3cret",
        body: { pass: "S3cret", sessionId: "S3cret" },
        headers: { appkey: "S3cret", authorization: "S3cret" },
      }),
    );
    expect(text).not.toContain("S3cret");
    expect(text).toContain('"password":"***"');
  });

  test("errors are logged with their causes, but without other properties", () => {
    const text = written("json", (logger) => logger.error({ err: error }, "failed"));
    expect(text).not.toContain("S3cret");
    expect(JSON.parse(text).err).toMatchObject({
      type: "ServiceError",
      code: 704,
      stack: expect.stringContaining("logging.test"),
      cause: { type: "Error", code: "ECONNREFUSED", message: "connect ECONNREFUSED" },
    });
  });

  test("readable lines have the same contents", () => {
    const text = written("text", (logger) => {
      logger.warn({ alias: "a", status: 5 }, "watch out");
      logger.info({ alias: "" }, "look");
      logger.error({ err: error }, "failed");
    });
    expect(text).toMatch(/^\d\d:\d\d:\d\d WARN {2}watch out {2}alias=a {2}status=5\n/);
    expect(text).toMatch(/ INFO {2}look {2}alias=\(empty\)\n/);
    expect(text).toMatch(
      /\d\d:\d\d:\d\d ERROR failed\nServiceError: 704.*\n[^]*caused by Error: connect ECONNREFUSED\n/,
    );
    expect(text).not.toContain("S3cret");
  });

  test("in readable lines, client text can neither begin a line nor control the terminal", () => {
    const evil = "x\u001b[2J\n00:00:00 INFO  forged\u202e";
    const text = written("text", (logger) => {
      logger.info({ detail: evil, other: "y  status=1", [evil]: 1 }, evil);
      logger.error({ err: new Error(evil, { cause: new Error(evil) }) }, "failed");
    });
    for (const obeyed of ["\u001b", "\u202e", "\n00:00:00"]) expect(text).not.toContain(obeyed);
    expect(text.split("\n")[0]).toMatch(/INFO {2}x\\u001b\[2J\\u000a00:00:00 INFO {2}forged\\u202e {2}detail="x/);
    expect(text).toContain('other="y  status=1"');
    expect(text).toMatch(/\nError: x\\u001b\[2J\\u000a00.*\n +at /);
  });

  test("nothing below the level is logged", () => {
    expect(written("json", (logger) => logger.debug("x"))).toBe("");
  });

  test.each([
    ["a colour", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["a second line", "one\r\ntwo", "one\\u000d\\u000atwo"],
    ["a bell, a tabulator and a delete", "\u0007\t\u007f", "\\u0007\\u0009\\u007f"],
    ["an eight-bit control sequence", "\u009b2J", "\\u009b2J"],
    ["a change of direction", "exe.\u202egnp\u2066x\u200f\u061c", "exe.\\u202egnp\\u2066x\\u200f\\u061c"],
    ["line separators", "a\u2028b\u2029c\u0085d", "a\\u2028b\\u2029c\\u0085d"],
    ["half a surrogate pair", "\ud800x", "\\ud800x"],
  ])("%s is escaped", (_title, text, seen) => {
    expect(visibleText(text)).toBe(seen);
  });

  test("letters of any script and symbols are kept", () => {
    const text = 'Ünïcödé 漢字 عربي 🙂 "quoted" \\ ~';
    expect(visibleText(text)).toBe(text);
  });
});

describe("request log", () => {
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
    [306, "warn"],
    [315, "warn"],
    [607, "warn"],
    [706, "warn"],
    [713, "info"],
    [717, "info"],
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
        msg: "Slow query",
      },
      { ...facts, missingIndexes: [], msg: "Slow query" },
    ]);
  });

  test("fast or unlogged queries are not analysed", () => {
    const unindexed = jest.fn(() => []);
    expect(linesOf(701, "info", { ...query, unindexed })).toEqual([]);
    expect(linesOf(500, "error", { ...query, unindexed })).toEqual([]);
    expect(unindexed).not.toHaveBeenCalled();
  });
});
