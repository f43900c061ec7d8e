import type { AttributeType } from "../../model/class-definition.ts";
import { isStorable, isStorableText } from "../../storage/storable-text.ts";
import type { JsonValue } from "../stored-object.ts";
import { dateValue } from "./date-value.ts";

/** The types whose values are not ids of other objects. A file is given by uploading it; its attribute can only be emptied. */
export type PlainType = Exclude<AttributeType, "reference" | "collection">;

interface PlainRule {
  /** What a value has to be, for the detail of a refusal. */
  readonly expected: string;
  /** The value as it is stored, `undefined` if it is none of this type. Not asked about null. */
  readonly accept: (value: JsonValue) => JsonValue | undefined;
}

const rules: Readonly<Record<PlainType, PlainRule>> = {
  string: {
    expected: "A text without zero characters and halves of surrogate pairs",
    accept: (value) => (typeof value === "string" && isStorableText(value) ? value : undefined),
  },
  number: {
    expected: "A finite number",
    accept: (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined),
  },
  boolean: {
    expected: "true or false",
    accept: (value) => (typeof value === "boolean" ? value : undefined),
  },
  date: {
    expected: "A date like 2026-01-31, or a point in time with its offset like 2026-01-31T09:30:00Z",
    accept: (value) => (typeof value === "string" ? (dateValue(value) ?? undefined) : undefined),
  },
  json: {
    expected: "JSON with finite numbers, and without zero characters and halves of surrogate pairs in its texts",
    accept: (value) => (isStorable(value) && isFinite(value) ? value : undefined),
  },
  file: { expected: "Null", accept: () => undefined },
};

/** The rule of a type. */
export function plainRule(type: PlainType): PlainRule {
  return rules[type];
}

/** Whether data hold finite numbers only: JSON may spell greater ones, and none of them comes back from storage. */
function isFinite(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isFinite);
}
