import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue, type ErrorCode, extensions } from "@sallyport/core";
import { declaredErrors, routeTable, type UseCases } from "@sallyport/http";
import { allCases } from "./cases/all-cases.ts";
import { notYetReachable, provoked } from "./error-registry.ts";

const codes: ErrorCode[] = [...catalogue, ...extensions].map(({ code }) => code);
// Only what the routes declare is read.
const declared = new Set(routeTable({} as UseCases).flatMap(declaredErrors));
const ascending = (a: number, b: number) => a - b;

test("every code is either provoked over HTTP or not yet reachable", () => {
  expect([...provoked.keys(), ...notYetReachable].toSorted(ascending)).toEqual(codes.toSorted(ascending));
});

test("the codes that routes declare are those that are provoked", () => {
  expect([...provoked.keys()].toSorted(ascending)).toEqual([...declared].toSorted(ascending));
});

describe.each([...provoked])("the test for %i", (code, { file, title }) => {
  const path = join(import.meta.dirname, file);

  test("is where the registry says", () => {
    expect(existsSync(path)).toBe(true);
  });

  // Titles in a table may be put together, so a case is looked up, not searched for.
  if (file.startsWith("cases/")) {
    test("expects the code", () => {
      const cases = Object.values(allCases)
        .flat()
        .filter((each) => each.title === title);
      expect(cases.map((each) => each.expect.code)).toContain(code);
      expect(readFileSync(join(import.meta.dirname, "cases/all-cases.ts"), "utf8")).toContain(
        `./${file.slice("cases/".length)}`,
      );
    });
  } else {
    test("has the title and the code", () => {
      const text = readFileSync(path, "utf8");
      expect(text).toContain(`"${title}"`);
      expect(text).toMatch(new RegExp(`\\b${code}\\b`));
    });
  }
});
