import { isObjectId, type ObjectId, objectNumber } from "@sallyport/core";

/** The numbers of the ids that can exist; others name nothing. */
export function objectNumbers(ids: Iterable<ObjectId>): number[] {
  const numbers: number[] = [];
  for (const id of ids) if (isObjectId(id)) numbers.push(objectNumber(id));
  return numbers;
}
