import { isObjectId, type ObjectId, objectNumber } from "@sallyport/core";

/** The ids that can exist as an array of the database; others name nothing. */
export function objectNumbers(ids: Iterable<ObjectId>): string {
  const numbers: number[] = [];
  for (const id of ids) if (isObjectId(id)) numbers.push(objectNumber(id));
  return `{${numbers.join(",")}}`;
}
