import { isObjectId } from "../../objects/object-id.ts";
import type { JsonValue } from "../../objects/stored-object.ts";
import { isUuid } from "../../objects/uuid.ts";
import { plainRule } from "../../objects/values/plain-value.ts";
import { targetReference, targetReferenceForms } from "../../objects/values/target-reference.ts";
import type { ValueType } from "../value-path.ts";
import { fault, type Place } from "./fault.ts";

/** The types of which a value can be given. A time is a span of them, and of a collection only a member can be given. */
export type OperandType = Exclude<ValueType, "time" | "collection">;

interface OperandRule {
  readonly expected: string;
  /** The value as it is stored, `undefined` if it is none of this type. Not asked about null. */
  readonly accept: (value: JsonValue) => JsonValue | undefined;
}

/** What links lead to is left as an id or a UUID; that is looked up for all of a query together. */
const link: OperandRule = {
  expected: targetReferenceForms,
  accept: (value) => {
    const reference = targetReference(value);
    return reference?.id ?? reference?.uuid ?? undefined;
  },
};

const rules: Readonly<Record<OperandType, OperandRule>> = {
  string: plainRule("string"),
  number: plainRule("number"),
  boolean: plainRule("boolean"),
  date: plainRule("date"),
  json: plainRule("json"),
  reference: link,
  file: link,
  id: { expected: "An id", accept: (value) => (typeof value === "string" && isObjectId(value) ? value : undefined) },
  uuid: {
    expected: "A UUID",
    accept: (value) => (typeof value === "string" && isUuid(value) ? value.toLowerCase() : undefined),
  },
  class: { expected: "The name of a class", accept: plainRule("string").accept },
};

/** An operand in the form in which values of the type are stored: 307 for one of another type. */
export function operandOf(type: OperandType, value: JsonValue, place: Place): JsonValue {
  const { expected, accept } = rules[type];
  const accepted = value === null ? undefined : accept(value);
  if (accepted === undefined) throw fault(place, `${expected} is expected.`);
  return accepted;
}
