export { defaultDepth, fullPlan } from "./full-plan.ts";
export { metaFieldsOnly, type ObjectPlan, withUuid } from "./object-plan.ts";
export { planSerialization, type PlannedAnswer } from "./plan-serialization.ts";
export type { Serialization, SerializationField, SerializationFieldObject } from "./serialization.ts";
