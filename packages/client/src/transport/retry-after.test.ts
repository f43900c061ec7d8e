import { retryAfterOf } from "./retry-after.ts";

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
