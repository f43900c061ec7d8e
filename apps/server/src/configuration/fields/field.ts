import type { z } from "zod";
import type { Kind } from "./kind.ts";

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
  readonly env?: string;
  readonly secret?: boolean;
}

const facts = new WeakMap<z.ZodType, FieldFacts>();

/** A field with a default, spelled as in the file. */
export function field<Out>(kind: Kind<Out>, options: FieldOptions & { default: unknown }): z.ZodType<Out> {
  return known(kind.schema.prefault(options.default as never), kind, options);
}

/** A field that need not be there. */
export function optionalField<Out>(kind: Kind<Out>, options: FieldOptions): z.ZodOptional<z.ZodType<Out>> {
  return known(kind.schema.optional(), kind, options);
}

function known<Schema extends z.ZodType, Out>(
  schema: Schema,
  kind: Kind<Out>,
  options: FieldOptions & { default?: unknown },
): Schema {
  const { env = null, doc, secret = false } = options;
  facts.set(schema, { kind: kind as Kind<unknown>, env, doc, secret, default: options.default });
  return schema;
}

/** The facts of a field; `undefined` for a section. */
export function factsOf(schema: z.ZodType): FieldFacts | undefined {
  return facts.get(schema);
}
