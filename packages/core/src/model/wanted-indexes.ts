import type { AttributeType } from "./class-definition.ts";
import type { Model } from "./model.ts";

/** An index over the values of an attribute in the objects of exactly one class. */
export interface AttributeIndex {
  readonly className: string;
  readonly attribute: string;
  readonly type: AttributeType;
}

/** What was done to have the wanted indexes and no others. */
export interface IndexReport {
  readonly built: readonly AttributeIndex[];
  /** How many were taken away. */
  readonly removed: number;
}

/** The indexes that a model asks for: of each class its indexed attributes, inherited ones too. */
export function wantedIndexes(model: Model): AttributeIndex[] {
  return [...model.all()].flatMap(({ definition, attributes }) =>
    [...attributes.values()]
      .filter(({ indexed }) => indexed === true)
      .map(({ name, type }) => ({ className: definition.name, attribute: name, type })),
  );
}
