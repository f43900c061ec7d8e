import type { AttributeType } from "@sallyport/core";
import type { SchemaObject } from "./open-api.ts";

/** The types whose values lead to no other object. */
export type PlainType = Exclude<AttributeType, "file" | "reference" | "collection">;

/** A value as answers hold it and as clients write it; of an attribute that is not mandatory, `null` too. */
export function plainValueSchema(type: PlainType, mandatory: boolean): SchemaObject {
  switch (type) {
    case "date":
      return {
        anyOf: [
          ...["date", "date-time"].map((format) => ({ type: "string", format })),
          ...(mandatory ? [] : [{ type: "null" }]),
        ],
      };
    case "json":
      return {};
    default:
      return mandatory ? { type } : { type: [type, "null"] };
  }
}
