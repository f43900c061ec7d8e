import type { AttributeIndex } from "../storage/index.ts";
import type { Model } from "./model.ts";

/** The indexes that a model asks for: of each class its indexed attributes, inherited ones too. */
export function wantedIndexes(model: Model): AttributeIndex[] {
  return [...model.all()].flatMap(({ definition, attributes }) =>
    [...attributes.values()]
      .filter(({ indexed }) => indexed === true)
      .map(({ name, type }) => ({ className: definition.name, attribute: name, type })),
  );
}
