import {
  type AttributeDefinition,
  type Filter,
  isLink,
  seesAll,
  ServiceError,
  type Visibility,
} from "@sallyport/storage";
import { type Model, type ModelClass, targetSubtree, visibilityOf } from "../model/index.ts";
import { type OwnFilter, type QueryRequest, resolveOwnFilter } from "../objects/index.ts";
import { requestModel, type SessionContext } from "../request/index.ts";
import type { SyncSchema } from "./sync-schema.ts";
import type { RequiredSchema } from "./sync-schemas.ts";
import { generationOf, queriedGeneration } from "./sync-version.ts";

/** The part of a schema that a caller can read. */
export interface SchemaView {
  readonly schema: SyncSchema;
  /** Without attributes that the caller cannot read. */
  readonly model: Model;
  readonly visibility: Visibility;
  /** Names of the covered classes that the caller can read, without subclasses. */
  readonly classes: readonly string[];
  /** The covered attributes that the caller can read, by class and name, in the order of the model. */
  readonly fields: ReadonlyMap<string, Fields>;
  /** The filters of the schema and of the client's query; `null` for all objects. */
  readonly filter: Filter | null;
  /** See `generationOf`. Another one means that the same version covers other objects or values. */
  readonly generation: string;
}

/** Attributes by name. */
export type Fields = ReadonlyMap<string, AttributeDefinition>;

/** The view without a query of the client. */
export async function schemaView(
  context: SessionContext,
  { schema, databaseGeneration }: RequiredSchema,
): Promise<SchemaView> {
  const { r, database, principal } = context;
  const whole = await requestModel(context);
  const model = whole.as(principal);
  const visibility = visibilityOf(principal, model);
  const { classes, fields, shapes } = readablePart(schema, model, visibility);
  const { filter, targets } = await schemaFilter(schema, whole, r.objects);
  const parts = {
    database: databaseGeneration,
    schema: [schema, targets],
    caller: [principal.userId, [...principal.groups].toSorted(), principal.administrator, shapes],
    query: null,
  };
  return { schema, model, visibility, classes, fields, filter, generation: generationOf(parts, database.digests) };
}

/** What callers with the same rights read of a schema. */
interface ReadablePart {
  readonly classes: readonly string[];
  readonly fields: ReadonlyMap<string, Fields>;
  /** The shapes of the fields, by class; see `shapeOf`. */
  readonly shapes: readonly unknown[];
}

/** By the model, the schema and the set of readable classes. All of them are shared by requests until they change. */
const readableParts = new WeakMap<Model, WeakMap<SyncSchema, WeakMap<object, ReadablePart>>>();

function readablePart(schema: SyncSchema, model: Model, visibility: Visibility): ReadablePart {
  const bySchema = readableParts.get(model) ?? new WeakMap<SyncSchema, WeakMap<object, ReadablePart>>();
  const byRights = bySchema.get(schema) ?? new WeakMap<object, ReadablePart>();
  const rights = visibility.classes ?? seesAll;
  let part = byRights.get(rights);
  if (part === undefined) {
    const covered = coveredFields(schema, model);
    const classes = [...covered.keys()].filter((name) => visibility.classes?.has(name) ?? true).toSorted();
    const fields = new Map<string, Fields>(classes.map((name) => [name, covered.get(name) ?? new Map()]));
    const shapes = Array.from(fields, ([name, attributes]) => [
      name,
      Array.from(attributes.values(), (each) => shapeOf(each, model, visibility)),
    ]);
    part = { classes, fields, shapes };
    readableParts.set(model, bySchema.set(schema, byRights.set(rights, part)));
  }
  return part;
}

/** The view with a query of the client: `where` and `oids` only. 307 for a wrong one. */
export async function queriedView(
  { r, database }: Pick<SessionContext, "r" | "database">,
  view: SchemaView,
  query: QueryRequest,
): Promise<SchemaView> {
  const { model, visibility } = view;
  const classes = view.classes.flatMap((name) => model.find(name) ?? []);
  const source = { model, objects: r.objects, visibility, classes, place: ["query"] };
  const { filter, targets } = await resolveOwnFilter(query, source);
  return {
    ...view,
    filter: both(view.filter, filter),
    generation: queriedGeneration(view.generation, [query, targets], database.digests),
  };
}

function both(one: Filter | null, other: Filter | null): Filter | null {
  if (one === null || other === null) return one ?? other;
  return { kind: "all", filters: [one, other] };
}

/** The attributes of all classes of a schema, by class. The entry of the nearest base decides. */
export function coveredFields(schema: SyncSchema, model: Model): Map<string, Fields> {
  const entries = new Map(schema.classes.map((each) => [each.className, each.fields]));
  const covered = new Map<string, Fields>();
  for (const { definition, attributes } of model.all()) {
    const chain = model.inheritanceChain(definition.name).map(({ name }) => name);
    const nearest = chain.findLast((name) => entries.has(name));
    if (nearest === undefined) continue;
    const fields = entries.get(nearest) ?? null;
    covered.set(
      definition.name,
      fields === null ? attributes : new Map([...attributes].filter(([name]) => fields.includes(name))),
    );
  }
  return covered;
}

/** The filter of a schema, the same for all callers: what they cannot read decides, too. 716 if it does not fit the model. */
async function schemaFilter(
  schema: SyncSchema,
  model: Model,
  objects: SessionContext["r"]["objects"],
): Promise<OwnFilter> {
  if (schema.where === null) return { filter: null, targets: [] };
  try {
    const classes = coveredClasses(schema, model);
    const source = { model, objects, visibility: seesAll, classes, place: [] };
    return await resolveOwnFilter({ where: schema.where }, source);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 307) throw error;
    throw new BrokenFilterError(error);
  }
}

/** 716: the classes have changed, and the filter of the schema does not fit them any more. */
export class BrokenFilterError extends ServiceError {
  constructor(cause: ServiceError) {
    const reason = cause.detail === undefined ? "" : `: ${cause.detail}`;
    super(716, { detail: `The filter of the schema does not fit the classes${reason}`, cause });
  }
}

/** The classes of a schema, with subclasses. */
export function coveredClasses(schema: SyncSchema, model: Model): ModelClass[] {
  return [...coveredFields(schema, model).keys()].flatMap((name) => model.find(name) ?? []);
}

/** What determines the value of an attribute in an answer: name, type, and for a link the classes that it can show. */
function shapeOf(attribute: AttributeDefinition, model: Model, { classes }: Visibility): unknown {
  const { name, type } = attribute;
  if (!isLink(type)) return [name, type];
  const targets = targetSubtree(attribute, model);
  const visible = classes === null ? targets : (targets ?? [...classes]).filter((each) => classes.has(each));
  return [name, type, visible === null ? null : [...visible].toSorted()];
}
