import { ServiceError } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "./index.ts";

test("equal tells what it expected and what it got", () => {
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

test("holds demands that a statement is true", () => {
  expect(() => holds(true, "It is true")).not.toThrow();
  expect(() => holds(false, "It is true")).toThrow("It is true.");
});

describe("failsWith", () => {
  test("accepts the code", async () => {
    await failsWith(705, async () => Promise.reject(new ServiceError(705)), "the call");
    await failsWith(
      705,
      () => {
        throw new ServiceError(705);
      },
      "the call that throws at once",
    );
  });

  test.each([
    ["another code", () => Promise.reject(new ServiceError(706))],
    ["an error of a driver", () => Promise.reject(Object.assign(new Error("duplicate key"), { code: 705 }))],
    ["success", () => Promise.resolve("done")],
    [
      "a detail that repeats the cause",
      () => Promise.reject(new ServiceError(705, { detail: "It was: secret", cause: new Error("secret") })),
    ],
  ])("does not accept %s", async (_name, call) => {
    await expect(failsWith(705, call, "the call")).rejects.toMatchObject({ name: "ConformanceError" });
  });
});
