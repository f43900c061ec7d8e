import { type Repositories, ServiceError, type Storage } from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../src/assert/index.ts";
import { same } from "../src/assert/same.ts";
import { checks } from "../src/checks.ts";
import { CallRecorder } from "../src/contract/call-recorder.ts";
import { numberOfChecks } from "../src/number-of-checks.ts";

describe("kit", () => {
  test("equal reports the expected and the actual value", () => {
    expect(() => equal([1], [1], "the list")).not.toThrow();
    expect(() => equal([1], [2], "the list")).toThrow("the list: expected [2], got [1].");
  });

  test("equalInAnyOrder counts elements", () => {
    expect(() => equalInAnyOrder([1, 2, 1], [1, 1, 2], "the list")).not.toThrow();
    expect(() => equalInAnyOrder([1, 2], [1, 1, 2], "the list")).toThrow("the list: expected 1 in it, got [1,2].");
    expect(() => equalInAnyOrder([1, 1, 2], [1, 2], "the list")).toThrow(
      "the list: expected [1,2] in any order, got [1], too.",
    );
  });

  test("isTrue requires a true statement", () => {
    expect(() => isTrue(true, "It is true")).not.toThrow();
    expect(() => isTrue(false, "It is true")).toThrow("It is true.");
  });

  describe("failsWith", () => {
    test("accepts the code", async () => {
      const refuse = () => Promise.reject(new ServiceError(705));
      await expect(failsWith(705, refuse, "the call")).resolves.toMatchObject({ code: 705 });
      const refuseAtOnce = () => {
        throw new ServiceError(705);
      };
      await expect(failsWith(705, refuseAtOnce, "the call that throws")).resolves.toMatchObject({ code: 705 });
    });

    test.each([
      ["another code", () => Promise.reject(new ServiceError(706))],
      ["a driver error", () => Promise.reject(Object.assign(new Error("duplicate key"), { code: 705 }))],
      ["success", () => Promise.resolve("done")],
      [
        "a detail that repeats the cause",
        () => Promise.reject(new ServiceError(705, { detail: "It was: secret", cause: new Error("secret") })),
      ],
    ])("does not accept %s", async (_name, call) => {
      await expect(failsWith(705, call, "the call")).rejects.toMatchObject({ name: "ConformanceError" });
    });
  });

  test.each([
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 1}}')],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [Number.NaN, Number.NaN],
  ])("%j is the same as %j", (one, other) => {
    expect(same(one, other)).toBe(true);
  });

  test.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, {}],
    [{ a: undefined }, { b: undefined }],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [{ a: null }, { a: undefined }],
    ["1", 1],
    [0, -0],
    [null, {}],
    [JSON.parse('{"__proto__": {"a": 1}}'), {}],
    [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 2}}')],
  ])("%j is not the same as %j", (one, other) => {
    expect(same(one, other)).toBe(false);
    expect(same(other, one)).toBe(false);
  });

  test("the kit has the declared number of checks", () => {
    expect(checks).toHaveLength(numberOfChecks);
  });

  test("every check has a unique name", () => {
    const names = checks.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("the checks of a section are contiguous", () => {
    const sections = checks.map(({ section }) => section);
    const changes = sections.filter((section, index) => section !== sections[index - 1]);
    expect(changes).toHaveLength(new Set(sections).size);
  });

  class Sessions {
    readonly #live = 3;

    async count(): Promise<number> {
      return this.#live;
    }
  }

  const repositories = Object.freeze({ sessions: Object.freeze(new Sessions()) }) as unknown as Repositories;

  const storage = Object.freeze({
    capabilities: { durable: false },
    repositories,
    transaction: (work: (r: Repositories) => Promise<unknown>) => work(repositories),
    now: async () => 7,
  }) as unknown as Storage;

  test("records each call once, in order of the last call, and changes nothing", async () => {
    const recorder = new CallRecorder();
    const recorded = recorder.storage(storage);
    expect(await recorded.repositories.sessions.count()).toBe(3);
    expect(await recorded.now()).toBe(7);
    expect(await recorded.transaction((r) => r.sessions.count())).toBe(3);
    expect(recorded.capabilities).toBe(storage.capabilities);
    expect(recorder.calls).toEqual(["storage.now", "storage.transaction", "sessions.count"]);
  });

  test("returns the same proxy for the same object", () => {
    const recorder = new CallRecorder();
    const recorded = recorder.storage(storage);
    expect(recorder.storage(storage)).toBe(recorded);
    expect(recorded.repositories).toBe(recorded.repositories);
    expect(recorded.repositories.sessions).toBe(recorded.repositories.sessions);
  });
});
