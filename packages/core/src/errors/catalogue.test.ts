import { catalogue, errorEntry, extensions, isErrorCode } from "./catalogue.ts";
import { ServiceError } from "./service-error.ts";

describe("the error catalogue", () => {
  test("has ninety entries, and the extensions stand apart", () => {
    expect(catalogue).toHaveLength(90);
    const numbers = new Set<number>(catalogue.map(({ code }) => code));
    expect(extensions.filter(({ code }) => numbers.has(code))).toEqual([]);
  });

  test("gives every code once, in ascending order", () => {
    const codes = catalogue.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].toSorted((a, b) => a - b));
  });

  test.each([...catalogue, ...extensions])("$code has a client or server status, a name and a condition", (entry) => {
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.status).toBeLessThan(600);
    expect(entry.name).toMatch(/^[A-Z].*[a-zA-Z]$/);
    expect(entry.condition).toMatch(/^[A-Z`].*\.$/);
  });

  test("answers look-ups for its own codes only", () => {
    expect(errorEntry(201)).toMatchObject({ status: 401, name: "Session is invalid" });
    expect([0, 303, 1000, Number.NaN].filter(isErrorCode)).toEqual([]);
  });

  test("lends its status and name to errors", () => {
    const cause = new Error("underneath");
    const error = new ServiceError(706, { retryAfter: 3, detail: "why", cause });
    expect(error).toMatchObject({ code: 706, status: 503, retryAfter: 3, detail: "why", cause });
    expect(error.message).toBe("706 The server is currently unavailable");
  });
});
