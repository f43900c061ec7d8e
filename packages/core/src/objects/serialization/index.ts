export {
  defaultDepth,
  fullPlan,
  metaFieldsOnly,
  type ObjectPlan,
  type PlannedAnswer,
  planSerialization,
  withUuid,
} from "../object-plan.ts";
export type { Serialization, SerializationField, SerializationFieldObject } from "../serialization.ts";
