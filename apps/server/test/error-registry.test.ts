import { catalogue, type ErrorCode, extensions } from "@sallyport/core";
import { declaredErrors, routeTable, type UseCases } from "@sallyport/http";
import { allCases } from "./cases/all-cases.ts";
import { preparedCases } from "./cases/prepared-cases.ts";

/** The codes that no route answers yet. */
const notYetReachable: readonly ErrorCode[] = [
  ...([306, 318, 323] as const),
  ...([330, 332, 333, 334, 335, 336, 338] as const),
  ...([403, 500, 501, 502, 503] as const),
  ...([600, 601, 602, 603, 604, 605, 606, 611] as const),
  ...([700, 702, 707, 708, 709, 711, 714, 716, 717, 719, 720, 721] as const),
  800,
];

const codes: ErrorCode[] = [...catalogue, ...extensions].map(({ code }) => code);
// Only the declarations of the routes are read.
const declared = new Set(routeTable({} as UseCases).flatMap(declaredErrors));
const ascending = (a: number, b: number) => a - b;

const ofCases = Object.values(allCases)
  .flat()
  .map(({ expect: { code } }) => code)
  .filter((code) => code !== 0);
/** The codes that the tables of cases expect over HTTP. */
const provoked = [...new Set([...ofCases, ...preparedCases.map(({ code }) => code)])];

test("every code is either caused over HTTP by a case or not yet reachable", () => {
  expect([...provoked, ...notYetReachable].toSorted(ascending)).toEqual(codes.toSorted(ascending));
});

test("the declared codes of routes are the codes of the cases", () => {
  expect(provoked.toSorted(ascending)).toEqual([...declared].toSorted(ascending));
});
