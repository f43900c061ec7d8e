import { ServiceError } from "@sallyport/core";
import { createLogger, visibleText } from "./create-logger.ts";

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
  expect(line).toEqual({ level: "info", time: expect.stringMatching(/^\d{4}-.*Z$/), requestId: "r-1", msg: "request" });
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
    stack: expect.stringContaining("create-logger.test"),
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
  expect(text).toMatch(/\d\d:\d\d:\d\d ERROR failed\nServiceError: 704.*\n[^]*caused by Error: connect ECONNREFUSED\n/);
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
