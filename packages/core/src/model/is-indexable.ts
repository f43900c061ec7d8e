import type { AttributeType } from "./class-definition.ts";

const indexable: ReadonlySet<AttributeType> = new Set<AttributeType>([
  "string",
  "number",
  "boolean",
  "date",
  "reference",
  "file",
]);

/** Whether attributes of this type can have an index. */
export function isIndexable(type: AttributeType): boolean {
  return indexable.has(type);
}
