import { isObjectId, type ObjectId, objectNumber } from "@sallyport/core";

/** The numbers of the ids that can exist, ascending, each once. */
export function objectNumbers(ids: Iterable<ObjectId>): number[] {
  const numbers = new Set<number>();
  for (const id of ids) if (isObjectId(id)) numbers.add(objectNumber(id));
  return [...numbers].toSorted((one, other) => one - other);
}

/** A condition that a number is one of these. They stand in the text, because the optimizer plans for them. */
export function isAmongNumbers(expression: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? "false" : `${expression} in (${numbers.join(",")})`;
}
