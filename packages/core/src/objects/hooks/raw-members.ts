import type { StoredObject } from "../../storage/index.ts";
import { fullPlan, withUuid } from "../object-plan.ts";
import { ObjectSerializer } from "../object-serializer.ts";
import type { Sight } from "../serialization-source.ts";
import type { HookCaller, Members } from "./hook-caller.ts";

/**
 * Objects as hooks of writes see them: all attributes, references as meta-fields, and nothing of what the caller does not see.
 * `known`: objects that were read already.
 */
export async function rawMembers(
  { r, database }: HookCaller,
  { model, visibility }: Sight,
  objects: readonly StoredObject[],
  known: readonly StoredObject[] = [],
): Promise<readonly Members[]> {
  if (objects.length === 0) return [];
  // It is no answer: how much there is of it the batches see to.
  const source = {
    objects: r.objects,
    visibility,
    storeTime: database.storeTime,
    answerBytes: Number.MAX_SAFE_INTEGER,
  };
  return (await new ObjectSerializer(source, withUuid(fullPlan(model, 0))).run(
    objects,
    known,
  )) as unknown as readonly Members[];
}
