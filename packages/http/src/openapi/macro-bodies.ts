import type { JsonValue } from "@sallyport/storage";
import type { ExecutableMacro } from "@sallyport/core";
import type { MediaTypeObject, SchemaObject } from "./open-api.ts";

/** Component name of the input of a macro. The dot prevents collisions with other components. */
const componentOf = (macroName: string): string => `macro.${macroName}`;

const addressOf = (component: string): string => `#/components/schemas/${component}`;

type DescribedMacro = ExecutableMacro & { readonly input: JsonValue };

function described(macros: readonly ExecutableMacro[]): readonly DescribedMacro[] {
  // The references inside a schema with an id are relative to that id, not to the document.
  return macros.filter(
    (macro): macro is DescribedMacro => macro.input !== undefined && !JSON.stringify(macro.input).includes('"$id"'),
  );
}

/** Components that describe the input of macros: one for each that declares a schema. */
export function macroSchemas(macros: readonly ExecutableMacro[]): Record<string, SchemaObject> {
  return Object.fromEntries(
    described(macros).map(({ name, input }) => {
      const component = componentOf(name);
      const schema = schemaOf(relocated(input, addressOf(component)));
      return [component, { title: name, ...schema }];
    }),
  );
}

/** Body of an execution, with an example for each macro that declares a schema; `undefined` if none does. */
export function macroBody(macros: readonly ExecutableMacro[]): MediaTypeObject | undefined {
  const describedMacros = described(macros);
  if (describedMacros.length === 0) return undefined;
  const references = describedMacros.map(({ name }) => ({ $ref: addressOf(componentOf(name)) }));
  const examples = describedMacros.map(({ name, input }) => [name, { summary: name, value: exampleOf(input, input) }]);
  const others: SchemaObject[] = describedMacros.length === macros.length ? [] : [{ title: "Any input" }];
  return { schema: { anyOf: [...references, ...others] }, examples: Object.fromEntries(examples) };
}

/** A schema as an object. JSON Schema also has `true` and `false`. */
function schemaOf(schema: JsonValue | undefined): SchemaObject {
  if (schema === false) return { not: {} };
  return typeof schema === "object" && schema !== null && !Array.isArray(schema) ? (schema as SchemaObject) : {};
}

/** Points the references inside a schema to its place in the document. */
function relocated(value: JsonValue, address: string): JsonValue {
  if (Array.isArray(value)) return value.map((each) => relocated(each, address));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
      if (name === "$schema") return [];
      const isReference = name === "$ref" && typeof member === "string" && member.startsWith("#");
      return [[name, isReference ? `${address}${member.slice(1)}` : relocated(member as JsonValue, address)]];
    }),
  );
}

/** Depth at which an example ends. A schema can contain itself. */
const maxDepth = 5;

const byType: Readonly<Record<string, JsonValue>> = { string: "", number: 0, integer: 0, boolean: false };

/** A value that resembles a schema inside `root`: for a first try, not necessarily a valid one. */
function exampleOf(node: JsonValue | undefined, root: JsonValue, depth = 0): JsonValue {
  if (depth === maxDepth) return null;
  const schema = schemaOf(node);
  const { $ref, examples, default: byDefault, const: only, enum: choices, type, minimum, properties, items } = schema;
  if (typeof $ref === "string") return exampleOf(targetOf($ref, root), root, depth + 1);
  for (const value of [first(examples), byDefault, only, first(choices)])
    if (value !== undefined) return value as JsonValue;
  const kind = first(type) ?? type ?? (properties === undefined ? undefined : "object");
  const inner = (member: unknown): JsonValue => exampleOf(member as JsonValue | undefined, root, depth + 1);
  if (kind === "array") return items === undefined ? [] : [inner(items)];
  if (kind === "object")
    return Object.fromEntries(Object.entries(properties ?? {}).map(([name, member]) => [name, inner(member)]));
  if (typeof minimum === "number") return minimum;
  return typeof kind === "string" && Object.hasOwn(byType, kind) ? (byType[kind] ?? null) : null;
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

/** The part of a schema that a reference points to; `undefined` if there is none. */
function targetOf(reference: string, root: JsonValue): JsonValue | undefined {
  let at: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at as JsonValue;
}
