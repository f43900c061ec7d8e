import * as z from "zod";
import type { Kind } from "./field-kinds.ts";

/** What is known of a configuration field besides its schema. */
export interface FieldFacts {
  readonly kind: Kind<unknown>;
  /** Environment variable that goes before the file; `null` when there is none. */
  readonly env: string | null;
  /** As the file would spell it; `undefined` when there is none. */
  readonly default: unknown;
  /** One line for the reference. */
  readonly doc: string;
  /** Never shown; may be given as `<env>_FILE`, too. */
  readonly secret: boolean;
}

interface FieldOptions {
  readonly doc: string;
  readonly secret?: boolean;
}

const factsBySchema = new WeakMap<z.ZodType, FieldFacts>();

/** A field with a default, spelled as in the file. */
export function field<Out>(
  env: string | null,
  kind: Kind<Out>,
  preset: unknown,
  { doc, secret = false }: FieldOptions,
): z.ZodType<Out> {
  return known(kind.schema.prefault(preset as never), { kind, env, default: preset, doc, secret });
}

/** A field that need not be there. */
export function optionalField<Out>(
  env: string | null,
  kind: Kind<Out>,
  { doc, secret = false }: FieldOptions,
): z.ZodOptional<z.ZodType<Out>> {
  return known(kind.schema.optional(), { kind, env, default: undefined, doc, secret });
}

function known<Schema extends z.ZodType, Out>(
  schema: Schema,
  facts: Omit<FieldFacts, "kind"> & { readonly kind: Kind<Out> },
): Schema {
  factsBySchema.set(schema, facts as FieldFacts);
  return schema;
}

/** The facts of a field; `undefined` for a section. */
export function factsOf(schema: z.ZodType): FieldFacts | undefined {
  return factsBySchema.get(schema);
}

/** A group of fields; all of their defaults apply when it is absent. Members that nobody knows are refused. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: "must be an object" }).prefault({} as never);
}

/** A group of fields that has a meaning by being there. */
export function optionalSection<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: "must be an object" }).optional();
}

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
