import * as z from "zod";
import type { Kind } from "./field-kinds.ts";

/** Metadata of a configuration field. */
export interface FieldFacts {
  readonly kind: Kind<unknown>;
  /** Environment variable, which overrides the file; `null` if there is none. */
  readonly env: string | null;
  /** Default in file form; `undefined` if there is none. */
  readonly default: unknown;
  /** One line for the reference. */
  readonly doc: string;
  /** Never printed. `<env>_FILE` can also provide it. */
  readonly secret: boolean;
}

interface FieldOptions {
  readonly doc: string;
  readonly secret?: boolean;
}

const factsBySchema = new WeakMap<z.ZodType, FieldFacts>();

/** A field with a default in file form. */
export function field<Out>(
  env: string | null,
  kind: Kind<Out>,
  preset: unknown,
  { doc, secret = false }: FieldOptions,
): z.ZodType<Out> {
  return withFacts(kind.schema.prefault(preset as never), { kind, env, default: preset, doc, secret });
}

/** An optional field. */
export function optionalField<Out>(
  env: string | null,
  kind: Kind<Out>,
  { doc, secret = false }: FieldOptions,
): z.ZodOptional<z.ZodType<Out>> {
  return withFacts(kind.schema.optional(), { kind, env, default: undefined, doc, secret });
}

/** The schema, with its metadata. */
function withFacts<Schema extends z.ZodType, Out>(
  schema: Schema,
  facts: Omit<FieldFacts, "kind"> & { readonly kind: Kind<Out> },
): Schema {
  factsBySchema.set(schema, facts as FieldFacts);
  return schema;
}

/** The metadata of a field; `undefined` for a section. */
export function factsOf(schema: z.ZodType): FieldFacts | undefined {
  return factsBySchema.get(schema);
}

/** A group of fields. If absent, all defaults apply. Unknown members are errors. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: "must be an object" }).prefault({} as never);
}

/** A group of fields whose presence has a meaning. */
export function optionalSection<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: "must be an object" }).optional();
}

/** A field of the configuration with its path. */
export interface FieldPlace {
  readonly path: readonly string[];
  readonly facts: FieldFacts;
}

/** Path step from a list to any of its elements. */
export const anyElement = "[]";

/** All fields below a schema, in the order of definition. */
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

/** The schema at a document path, in which list elements have numbers. */
export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const bare = unwrap(schema);
  const shape = shapeOf(bare) ?? {};
  const next =
    typeof step === "number" ? elementOf(bare) : Object.hasOwn(shape, step) ? shape[String(step)] : undefined;
  return next === undefined ? undefined : schemaAt(next, rest);
}

/** Member names of the section at a path. */
export function membersAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const target = schemaAt(schema, path);
  return target === undefined ? [] : Object.keys(shapeOf(unwrap(target)) ?? {});
}

/** The members with which definitions of Zod nest schemas. */
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

/** The schema of the elements of a list of sections. A list that is a field has no fields below it. */
function elementOf(schema: z.ZodType): z.ZodType | undefined {
  return factsOf(schema) === undefined ? (schema.def as unknown as Definition).element : undefined;
}
