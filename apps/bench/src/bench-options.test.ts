import { benchOptions } from "./bench-options.ts";

test("runs everything unless told otherwise", () => {
  expect(benchOptions([], ["read"])).toEqual({ only: undefined, quick: false, json: undefined, profile: undefined });
});

test("reads what it is told", () => {
  const given = ["--only", "read", "--quick", "--json", "figures.json", "--profile", "profiles"];
  expect(benchOptions(given, ["read"])).toEqual({
    only: "read",
    quick: true,
    json: "figures.json",
    profile: "profiles",
  });
});

test.each([[["--only", "write"]], [["--fast"]], [["read"]]])("refuses %j", (given) => {
  expect(() => benchOptions(given, ["read"])).toThrow(/--only|--fast|positional/);
});
