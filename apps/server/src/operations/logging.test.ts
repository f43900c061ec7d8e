import { jest } from "@jest/globals";
import {
  type Database,
  ServiceError,
  type ErrorCode,
  MacroFault,
  type RefusedRequest,
  type TimedQuery,
  trafficOf,
} from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import pino from "pino";
import { ServedDatabases } from "../databases/served-databases.ts";
import { createLogger, visibleText } from "./create-logger.ts";
import { RefusalWriter } from "./refusal-writer.ts";
import { RequestLog, SlowQueryLog } from "./request-log.ts";
import { TrafficWriter } from "./traffic-writer.ts";

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

describe("writer of explanations", () => {
  const refused = (n: number, network: string) =>
    ({
      requestId: `${network} ${n}`,
      network,
      error: new ServiceError(302),
      items: [],
      at: 0,
    }) as unknown as RefusedRequest;

  /** A database that counts writes by network. */
  function counting(retention: number, write: () => Promise<string> = async () => "stored") {
    const written = new Map<string, number>();
    const putWithin = (_kind: string, _id: string, _value: unknown, { owner }: { owner: string }) => {
      written.set(owner, (written.get(owner) ?? 0) + 1);
      return write();
    };
    const storage = { repositories: { records: { putWithin } } };
    const database = { policy: { explanations: { retention, perNetwork: 5 } }, storage } as unknown as Database;
    return { written, database };
  }

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("turns a flood of refusals into a bounded number of writes per second, and leaves room for other networks", async () => {
    const outcomes = new Map<string, number>();
    const writer = new RefusalWriter(10, (each) => void outcomes.set(each, (outcomes.get(each) ?? 0) + 1));
    const { written, database } = counting(1_000);
    const flood = () => {
      for (let n = 0; n < 5_000; n += 1) writer.refused(database, refused(n, "192.0.2.1"));
      writer.refused(database, refused(0, "192.0.2.2"));
    };
    flood();
    await jest.advanceTimersByTimeAsync(500);
    expect([...written]).toEqual([
      ["192.0.2.1", 5],
      ["192.0.2.2", 1],
    ]);
    flood();
    await jest.advanceTimersByTimeAsync(500);
    expect(written.get("192.0.2.1")).toBe(5);
    await jest.advanceTimersByTimeAsync(100);
    expect(written.get("192.0.2.1")).toBe(10);
    expect(Object.fromEntries(outcomes)).toEqual({ dropped: 2 * 4_995, stored: 12 });
  });

  test("starts no second write while one hangs, and goes on after a failed one", async () => {
    const outcomes: string[] = [];
    const writer = new RefusalWriter(4, (each) => void outcomes.push(each));
    let fail = (_error: Error): void => {};
    const { written, database } = counting(1_000, () => {
      return new Promise((_resolve, reject) => {
        fail = reject;
      });
    });
    writer.refused(database, refused(0, "192.0.2.1"));
    await jest.advanceTimersByTimeAsync(100);
    writer.refused(database, refused(1, "192.0.2.1"));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(written.get("192.0.2.1")).toBe(1);
    fail(new ServiceError(704));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(written.get("192.0.2.1")).toBe(2);
    fail(new ServiceError(704));
    await writer.stop();
    expect(outcomes).toEqual(["failed", "failed"]);
  });

  test("writes what waits at the stop, and nothing later or without a retention", async () => {
    const writer = new RefusalWriter(4, () => {});
    const [kept, off] = [counting(1_000), counting(0)];
    for (const { database } of [kept, off]) writer.refused(database, refused(0, "192.0.2.1"));
    await writer.stop();
    writer.refused(kept.database, refused(1, "192.0.2.1"));
    await jest.advanceTimersByTimeAsync(10_000);
    expect([kept.written.get("192.0.2.1"), off.written.size]).toEqual([1, 0]);
  });
});

describe("the traffic of sessions", () => {
  const [minute, session] = [60_000, "a".repeat(64)];
  const traffic = { received: 100, sent: 2_000, idleTimeout: 10 * minute };

  test("of two servers adds up, also if both write at the same time", async () => {
    const storage = new MemoryStorage();
    await storage.migrate();
    const servers = [1, 2].map(() => {
      const database = { storage } as unknown as Database;
      return { database, writer: new TrafficWriter(new ServedDatabases([["", database]])) };
    });
    for (let round = 0; round < 20; round += 1) {
      for (const { database, writer } of servers) writer.transferred(database, session, traffic);
      await Promise.all(servers.map(({ database, writer }) => writer.write(database)));
    }
    await Promise.all(servers.map(({ writer }) => writer.stop()));
    const stored = await trafficOf(storage.repositories, [session, "b".repeat(64)]);
    expect([...stored]).toEqual([[session, { received: 4_000, sent: 80_000 }]]);
  });

  test("is written once a minute, and what an unavailable database misses with the next round", async () => {
    jest.useFakeTimers();
    try {
      const written: unknown[] = [];
      let available = true;
      const records = {
        get: async () => [],
        put: async (_kind: string, _id: string, value: object, { lifetime }: { lifetime: number }) => {
          if (!available) throw new ServiceError(704);
          written.push({ ...value, lifetime });
          return "stored";
        },
      };
      const transaction = (work: (r: object) => Promise<unknown>) => work({ records });
      const database = { alias: "", storage: { transaction } } as unknown as Database;
      const writer = new TrafficWriter(new ServedDatabases([["", database]]));
      writer.start();
      for (let n = 0; n < 1_000; n += 1) writer.transferred(database, session, traffic);
      await jest.advanceTimersByTimeAsync(minute - 1);
      expect(written).toEqual([]);
      available = false;
      await jest.advanceTimersByTimeAsync(minute);
      available = true;
      writer.transferred(database, session, traffic);
      await jest.advanceTimersByTimeAsync(3 * minute);
      await writer.stop();
      expect(written).toEqual([{ received: 100_100, sent: 2_002_000, lifetime: 10 * minute }]);
    } finally {
      jest.useRealTimers();
    }
  });
});
