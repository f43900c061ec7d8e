import { SallyportError, TransportError } from "../errors.ts";
import { codeOf, retryAfterOf, successOf } from "./envelope.ts";

const answer = (body: unknown, status = 200, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
  body: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("a success gives its payload and its message", () => {
  const status = { internalStatus: "0", statusMessage: "A database user must be assigned" };
  expect(successOf(answer({ status, data: { a: 1 } }))).toEqual({ data: { a: 1 }, message: status.statusMessage });
  expect(successOf(answer({ status, data: null }))).toMatchObject({ data: null });
});

test("a refusal tells everything that the answer tells", () => {
  const status = {
    internalStatus: "706",
    statusMessage: "The server is currently unavailable",
    debugMessage: "maintenance",
  };
  const error = thrownBy(() => successOf(answer({ status }, 503, { "retry-after": "60", "x-request-id": "r-1" })));
  expect(error).toBeInstanceOf(SallyportError);
  expect(error).toMatchObject({
    name: "SallyportError",
    code: 706,
    httpStatus: 503,
    requestId: "r-1",
    retryAfter: 60,
    debugMessage: "maintenance",
    message: "706 The server is currently unavailable",
  });
});

test("what a refusal does not tell is undefined", () => {
  const error = thrownBy(() =>
    successOf(answer({ status: { internalStatus: "304", statusMessage: "Invalid path" } }, 404)),
  );
  expect(error).toMatchObject({ requestId: undefined, retryAfter: undefined, debugMessage: undefined });
});

test.each([
  ["a page", "<html>Bad gateway</html>", 502],
  ["nothing", "", 204],
  ["other JSON", { error: "x" }, 500],
  ["no object", "5", 200],
  ["null", "null", 200],
  ["a number for a code", { status: { internalStatus: 0, statusMessage: "ok" }, data: {} }, 200],
  ["a word for a code", { status: { internalStatus: "none", statusMessage: "ok" }, data: {} }, 200],
  ["a success without payload", { status: { internalStatus: "0", statusMessage: "ok" } }, 200],
  ["a success that is none", { status: { internalStatus: "0", statusMessage: "ok" }, data: {} }, 502],
])("%s is not the service's", (_title, body, httpStatus) => {
  const error = thrownBy(() => successOf(answer(body, httpStatus)));
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ reason: "foreign-answer", httpStatus });
});

test("bytes that are not UTF-8 are no envelope", () => {
  expect(codeOf({ ...answer(""), body: Uint8Array.of(0x7b, 0xff, 0x7d) })).toBeUndefined();
});

const now = Date.parse("2030-01-01T00:00:00Z");

test.each([
  ["0", 0],
  ["60", 60],
  [" 5 ", 5],
  ["Tue, 01 Jan 2030 00:01:00 GMT", 60],
  ["Mon, 31 Dec 2029 23:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
])("%j", (value, seconds) => {
  expect(retryAfterOf(new Headers({ "retry-after": value }), now)).toBe(seconds);
});

test("nothing", () => {
  expect(retryAfterOf(new Headers(), now)).toBeUndefined();
});
