import { ConformanceError } from "./conformance-error.ts";
import { described } from "./described.ts";
import { same } from "./same.ts";

/** Asserts that a value deeply equals the expected value. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected))
    throw new ConformanceError({ what, expected: described(expected), got: described(actual) });
}

/** Asserts that a value deeply equals one of the allowed values. */
export function equalToOneOf(actual: unknown, allowed: readonly unknown[], what: string): void {
  if (!allowed.some((each) => same(actual, each)))
    throw new ConformanceError({ what, expected: allowed.map(described).join(" or "), got: described(actual) });
}

/** Asserts that a list has exactly these elements, in any order. */
export function equalInAnyOrder(actual: readonly unknown[], expected: readonly unknown[], what: string): void {
  const rest = [...actual];
  for (const each of expected) {
    const index = rest.findIndex((candidate) => same(candidate, each));
    if (index < 0) throw new ConformanceError({ what, expected: `${described(each)} in it`, got: described(actual) });
    rest.splice(index, 1);
  }
  if (rest.length > 0)
    throw new ConformanceError({
      what,
      expected: `${described(expected)} in any order`,
      got: `${described(rest)}, too`,
    });
}
