import type { z } from "zod";
import { factsOf, type FieldFacts } from "./field.ts";

/** A member of the configuration: a field, or the objects of a list. */
export interface FieldPlace {
  readonly path: readonly string[];
  readonly facts: FieldFacts;
}

/** Marks the step from a list to any of its elements. */
export const anyElement = "[]";

/** Every field below a schema, in the order of its definition. */
export function* walkFields(schema: z.ZodType, path: readonly string[] = []): Generator<FieldPlace> {
  const facts = factsOf(schema);
  if (facts !== undefined) {
    yield { path, facts };
    return;
  }
  const bare = unwrap(schema);
  const shape = shapeOf(bare);
  if (shape !== undefined) {
    for (const [name, member] of Object.entries(shape)) yield* walkFields(member, [...path, name]);
  }
  const element = elementOf(bare);
  if (element !== undefined) yield* walkFields(element, [...path, anyElement]);
}

/** The schema at a path as it occurs in a document, where elements of a list have numbers. */
export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const bare = unwrap(schema);
  const shape = shapeOf(bare) ?? {};
  const next =
    typeof step === "number" ? elementOf(bare) : Object.hasOwn(shape, step) ? shape[String(step)] : undefined;
  return next === undefined ? undefined : schemaAt(next, rest);
}

/** The names that the section at a path knows. */
export function membersAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const found = schemaAt(schema, path);
  return found === undefined ? [] : Object.keys(shapeOf(unwrap(found)) ?? {});
}

interface Definition {
  readonly innerType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
}

function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as unknown as Definition;
  return innerType === undefined || factsOf(schema) !== undefined ? schema : unwrap(innerType);
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  return (schema.def as unknown as Definition).shape;
}

function elementOf(schema: z.ZodType): z.ZodType | undefined {
  return factsOf(schema) === undefined ? (schema.def as unknown as Definition).element : undefined;
}
