import { jest } from "@jest/globals";
import { SallyportError, TransportError } from "../src/errors.ts";
import { withinLimits } from "../src/transport/deadline.ts";
import { codeOf, retryAfterOf, successOf } from "../src/transport/envelope.ts";
import { ServiceAddress } from "../src/transport/service-address.ts";

/** Requests over a network that fails. */
describe("transport", () => {
  describe("deadline", () => {
    const endless = () => new Promise<never>(() => {});

    beforeEach(() => {
      jest.useFakeTimers();
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    test("work that ends in time returns its result, and leaves no timer", async () => {
      await expect(withinLimits({ timeout: 1_000 }, async () => 7)).resolves.toBe(7);
      await expect(withinLimits({ timeout: 1_000 }, () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
      expect(jest.getTimerCount()).toBe(0);
    });

    test("work over time is aborted, and its result is not awaited", async () => {
      let passedSignal: AbortSignal | undefined;
      const outcome = withinLimits({ timeout: 1_000 }, (signal) => {
        passedSignal = signal;
        return endless();
      }).catch((error: unknown) => error);
      jest.advanceTimersByTime(999);
      expect(passedSignal?.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      const error = await outcome;
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ reason: "timeout" });
      expect(passedSignal?.reason).toBe(error);
    });

    test("a signal ends work with its own reason", async () => {
      const controller = new AbortController();
      const outcome = withinLimits({ timeout: 1_000, signal: controller.signal }, endless).catch(
        (error: unknown) => error,
      );
      const reason = new Error("changed my mind");
      controller.abort(reason);
      expect(await outcome).toBe(reason);
      expect(jest.getTimerCount()).toBe(0);
    });

    test("an aborted signal prevents work", async () => {
      const work = jest.fn(endless);
      await expect(withinLimits({ signal: AbortSignal.abort() }, work)).rejects.toMatchObject({ name: "AbortError" });
      expect(work).not.toHaveBeenCalled();
    });

    test("0 means no limit", async () => {
      const outcome = withinLimits({ timeout: 0 }, async () => "late");
      expect(jest.getTimerCount()).toBe(0);
      await expect(outcome).resolves.toBe("late");
    });

    test.each([-1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])("refuses %p as a time", async (timeout) => {
      await expect(withinLimits({ timeout }, endless)).rejects.toThrow(RangeError);
    });
  });

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

  test("a success returns its payload and its message", () => {
    const status = { internalStatus: "0", statusMessage: "A database user must be assigned" };
    expect(successOf(answer({ status, data: { a: 1 } }))).toEqual({ data: { a: 1 }, message: status.statusMessage });
    expect(successOf(answer({ status, data: null }))).toMatchObject({ data: null });
  });

  test("an error has all values of the answer", () => {
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

  test("missing values of an error are undefined", () => {
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
    ["a number as a code", { status: { internalStatus: 0, statusMessage: "ok" }, data: {} }, 200],
    ["a word as a code", { status: { internalStatus: "none", statusMessage: "ok" }, data: {} }, 200],
    ["a success without payload", { status: { internalStatus: "0", statusMessage: "ok" } }, 200],
    ["an inconsistent success", { status: { internalStatus: "0", statusMessage: "ok" }, data: {} }, 502],
  ])("an answer with %s is foreign", (_title, body, httpStatus) => {
    const error = thrownBy(() => successOf(answer(body, httpStatus)));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ reason: "foreign-answer", httpStatus });
  });

  test("bytes that are not UTF-8 are not an envelope", () => {
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
  ])("Retry-After %j is parsed", (value, seconds) => {
    expect(retryAfterOf(new Headers({ "retry-after": value }), now)).toBe(seconds);
  });

  test("a missing Retry-After is undefined", () => {
    expect(retryAfterOf(new Headers(), now)).toBeUndefined();
  });

  test.each([
    ["http://127.0.0.1:8080", "", "/v1/login", "http://127.0.0.1:8080/v1/login"],
    ["http://127.0.0.1:8080/", "", "/_CheckService", "http://127.0.0.1:8080/_CheckService"],
    [
      "https://db.example/base/",
      "archive",
      "/v1/objects/Customer",
      "https://db.example/base/archive/v1/objects/Customer",
    ],
    ["https://db.example//", "archive", "/v1/login", "https://db.example/archive/v1/login"],
  ])("address %s and alias %j are joined", (baseUrl, alias, path, expected) => {
    expect(new ServiceAddress(baseUrl, alias).of(path)).toBe(expected);
  });

  test("query parameters are percent-encoded, objects as JSON, and undefined ones omitted", () => {
    const address = new ServiceAddress("https://db.example", "");
    const text = address.of("/v1/objects/Customer", {
      page: 0,
      query: { where: { Name: "a&b+c ü" } },
      serialization: undefined,
      full: true,
    });
    expect(text).not.toContain("serialization");
    const { searchParams } = new URL(text);
    expect([...searchParams]).toEqual([
      ["page", "0"],
      ["query", '{"where":{"Name":"a&b+c ü"}}'],
      ["full", "true"],
    ]);
  });

  test.each([
    "",
    "db.example",
    "ftp://db.example",
    "https://user@db.example",
    "https://:pw@db.example",
    "https://db.example?x=1",
    "https://db.example#x",
  ])("server address %j is refused", (baseUrl) => {
    expect(() => new ServiceAddress(baseUrl, "")).toThrow(TypeError);
  });

  test.each(["A", "1a", "a/b", "..", "a".repeat(64)])("alias %j is refused", (alias) => {
    expect(() => new ServiceAddress("https://db.example", alias)).toThrow(TypeError);
  });

  test.each(["v1/login", "/v1/login?x=1", "/v1/login#x"])("path %j is refused", (path) => {
    expect(() => new ServiceAddress("https://db.example", "").of(path)).toThrow(TypeError);
  });

  test.each([
    ["https://db.example", true],
    ["http://localhost:8080", true],
    ["http://demo.localhost", true],
    ["http://127.0.0.1", true],
    ["http://127.9.9.9", true],
    ["http://[::1]:8080", true],
    ["http://db.example", false],
    ["http://localhost.example", false],
    ["http://127.0.0.1.example", false],
    ["http://10.0.0.1", false],
    ["http://mylocalhost", false],
  ])("%s is protected: %s", (baseUrl, isProtected) => {
    expect(new ServiceAddress(baseUrl, "").isProtected).toBe(isProtected);
  });
});
