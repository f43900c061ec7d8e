import { catalogue, type ErrorCode, extensions } from "@sallyport/core";
import { declaredErrors, routeTable, type UseCases } from "@sallyport/http";
import { allCases } from "./cases/all-cases.ts";
import { preparedCases } from "./cases/prepared-cases.ts";

/** The codes that nothing answers yet. */
const notYetReachable: readonly ErrorCode[] = [
  ...([306, 318, 323] as const),
  ...([330, 332, 333, 334, 335, 336, 338] as const),
  ...([403, 500, 501, 502, 503] as const),
  ...([600, 601, 602, 603, 604, 605, 606, 611] as const),
  ...([700, 702, 707, 708, 709, 711, 714, 716, 717, 719, 720, 721] as const),
  800,
];

const codes: ErrorCode[] = [...catalogue, ...extensions].map(({ code }) => code);
// Only what the routes declare is read.
const declared = new Set(routeTable({} as UseCases).flatMap(declaredErrors));
const ascending = (a: number, b: number) => a - b;

const ofCases = Object.values(allCases)
  .flat()
  .map(({ expect: { code } }) => code)
  .filter((code) => code !== 0);
/** A code is provoked over HTTP by a row of a table that expects it, and by nothing else. */
const provoked = [...new Set([...ofCases, ...preparedCases.map(({ code }) => code)])];

test("every code is either provoked over HTTP or not yet reachable", () => {
  expect([...provoked, ...notYetReachable].toSorted(ascending)).toEqual(codes.toSorted(ascending));
});

test("the codes that routes declare are those that are provoked", () => {
  expect(provoked.toSorted(ascending)).toEqual([...declared].toSorted(ascending));
});
