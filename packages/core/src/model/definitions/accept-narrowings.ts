import type { ObjectRepository } from "../../objects/object-repository.ts";
import { seesAll } from "../../rights/visibility.ts";
import { definitionFault } from "./definition-fault.ts";
import type { Narrowing } from "./narrowing.ts";

/** Refuses a change that objects stand against: 307 with how many. */
export async function acceptNarrowings(
  narrowings: readonly Narrowing[],
  objects: Pick<ObjectRepository, "count">,
): Promise<void> {
  for (const { pointer, query, fault, given } of narrowings) {
    if (given !== undefined && (await objects.count(given, seesAll, 1)) === 0) continue;
    const count = await objects.count(query, seesAll);
    if (count > 0) throw definitionFault(pointer, `${count} objects ${fault}.`);
  }
}
