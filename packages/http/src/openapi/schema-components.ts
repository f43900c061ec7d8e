import { z } from "zod";
import type { SchemaObject } from "./open-api.ts";

/** Which side of a schema is described: what a client may send, or what it gets. */
export type Side = "input" | "output";

/** Turns zod schemas into JSON Schema; those with an id become components, referred to by name. */
export class SchemaComponents {
  private readonly components = new Map<string, SchemaObject>();

  /** The schema as it stands at its place of use. Throws when two schemas share an id. */
  describe(schema: z.ZodType, side: Side): SchemaObject {
    // Inside of another schema, a schema with an id becomes a reference at its place; at the root it would not.
    const { properties, $defs } = z.toJSONSchema(z.object({ root: schema }), { io: side, override: tidy });
    for (const [id, definition] of Object.entries($defs ?? {})) this.add(id, relocated(definition) as SchemaObject);
    return relocated(properties?.["root"]) as SchemaObject;
  }

  /** All components so far, by name. */
  all(): Record<string, SchemaObject> {
    const byName = [...this.components].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(byName);
  }

  private add(id: string, definition: SchemaObject): void {
    const known = this.components.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`Two schemas have the id ${id}.`);
    }
    this.components.set(id, definition);
  }
}

/** Takes out what would bind future answers, and bounds that say nothing. */
const tidy: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === "object" && !("catchall" in def && def.catchall)) delete jsonSchema.additionalProperties;
  // Every name of a member is a text.
  if (def.type === "record") delete jsonSchema.propertyNames;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** The same value with references that point into a document's components. */
function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "id" || !("$ref" in value));
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      name === "$ref" ? String(member).replace("#/$defs/", "#/components/schemas/") : relocated(member),
    ]),
  );
}
