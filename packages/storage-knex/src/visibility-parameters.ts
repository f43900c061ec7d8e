import type { Visibility } from "@sallyport/core";
import { objectNumbers } from "./object-numbers.ts";
import type { SqlValue } from "./sql-runner.ts";

/** The visible classes and the principals, as parameters; null where they do not count. */
export function visibilityParameters(visibility: Visibility): [SqlValue, SqlValue] {
  return [visibility.classes === null ? null : [...visibility.classes], principalsOf(visibility)];
}

/** The principals alone. */
export function principalsOf({ principals }: Visibility): number[] | null {
  return principals === null ? null : objectNumbers(principals);
}
