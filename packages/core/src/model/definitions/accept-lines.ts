import type { AttributeDefinition, ClassDefinition } from "../class-definition.ts";
import type { Model } from "../model.ts";
import { wantedIndexes } from "../wanted-indexes.ts";
import { isSameAttribute } from "./is-same.ts";
import { definitionFault } from "./definition-fault.ts";
import { definitionLimits } from "./definition-limits.ts";

/**
 * Checks a class that is about to be put together with those above and below it: an attribute has one definition along a
 * line, wherever it is declared. `after` is the model with the class as it will be.
 */
export function acceptLines({ name, attributes }: ClassDefinition, after: Model): void {
  const own = new Map(attributes.map((attribute, index) => [attribute.name, index]));
  const pointerTo = (attribute: string) => (own.has(attribute) ? `/attributes/${own.get(attribute)}/name` : "/base");
  for (const member of after.find(name)?.family ?? []) {
    const line = after.lineOf(member);
    if (line.length > definitionLimits.depth)
      throw definitionFault("/base", `${member} would inherit over more than ${definitionLimits.depth} steps.`);
    const declared = new Map<string, { attribute: AttributeDefinition; by: string }>();
    for (const each of line) {
      for (const attribute of each.attributes) {
        const other = declared.get(attribute.name);
        if (other === undefined) declared.set(attribute.name, { attribute, by: each.name });
        else if (!isSameAttribute(attribute, other.attribute)) {
          throw definitionFault(
            pointerTo(attribute.name),
            `${other.by} and ${each.name} would define ${attribute.name} in two ways.`,
          );
        }
      }
    }
    if (declared.size > definitionLimits.attributes) {
      throw definitionFault("/attributes", `${member} would have more than ${definitionLimits.attributes} attributes.`);
    }
  }
  if (wantedIndexes(after).length > definitionLimits.indexes) {
    throw definitionFault("/attributes", `there would be more than ${definitionLimits.indexes} indexes.`);
  }
}
