import { AnswerTooLargeError, type SerializedObject, type StoredObject } from "../storage/index.ts";
import { AnswerExtensionError } from "./answer-extension.ts";
import { metaFieldsOnly, type ObjectPlan, withUuid } from "./object-plan.ts";
import { ObjectSerializer } from "./object-serializer.ts";
import type { SerializationSource } from "./serialization-source.ts";

/**
 * The answer that tells of something that is done already: as the plan says, or the meta-fields alone where that would be too
 * large, or a hook refuses it. It must not look as if it had failed. `known`: visible objects that were read already.
 */
export async function serializeWritten(
  source: SerializationSource,
  plan: ObjectPlan,
  object: StoredObject,
  known: readonly StoredObject[] = [],
): Promise<SerializedObject> {
  try {
    return await serializeOne(source, plan, object, known);
  } catch (error) {
    if (error instanceof AnswerExtensionError) source.extension?.ignore(error);
    else if (!(error instanceof AnswerTooLargeError)) throw error;
    return serializeOne(source, plan.uuid ? withUuid(metaFieldsOnly) : metaFieldsOnly, object, []);
  }
}

async function serializeOne(
  source: SerializationSource,
  plan: ObjectPlan,
  object: StoredObject,
  known: readonly StoredObject[],
): Promise<SerializedObject> {
  const [serialized] = (await new ObjectSerializer(source, plan).run([object], known)) as [SerializedObject];
  return serialized;
}
