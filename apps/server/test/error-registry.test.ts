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

const ofCases = Object.values(allCases)
  .flat()
  .map(({ expect: { code } }) => code)
  .filter((code) => code !== 0);
const provokedCodes = [...new Set([...ofCases, ...provoked.keys()])];

test("every code is either provoked over HTTP or not yet reachable", () => {
  expect([...provokedCodes, ...notYetReachable].toSorted(ascending)).toEqual(codes.toSorted(ascending));
});

test("the codes that routes declare are those that are provoked", () => {
  expect(provokedCodes.toSorted(ascending)).toEqual([...declared].toSorted(ascending));
});

describe.each([...provoked])("the test for %i", (code, { file, title }) => {
  const path = join(import.meta.dirname, file);

  test("is where the registry says", () => {
    expect(existsSync(path)).toBe(true);
  });

  test("has the title and the code", () => {
    const text = readFileSync(path, "utf8");
    expect(text).toContain(`"${title}"`);
    expect(text).toMatch(new RegExp(`\\b${code}\\b`));
  });
});
