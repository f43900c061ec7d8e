import { type ObjectRepository, type Repositories, ServiceError } from "@sallyport/storage";
import type { Model } from "../model/index.ts";
import { loadModel } from "../request/index.ts";
import { acceptSyncSchema } from "./put-schema.ts";
import type { SyncSchema } from "./sync-schema.ts";
import { storedSchemas } from "./sync-schemas.ts";

/** A schema with what the classes lack of it, if they lack something. */
export interface ExaminedSchema {
  readonly schema: SyncSchema;
  /** Why it could not be stored any more, such as an attribute that is gone. */
  readonly broken: string | null;
}

/** Examines a stored schema under a model. */
export async function examineSchema(
  schema: SyncSchema,
  model: Model,
  objects: ObjectRepository,
): Promise<ExaminedSchema> {
  try {
    await acceptSyncSchema(schema, model, objects);
    return { schema, broken: null };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 307) throw error;
    return { schema, broken: error.detail ?? "The schema does not fit the classes." };
  }
}

/** Examines all stored schemas under the current model. `damaged`: the ids of records that are not schemas. */
export async function examineSchemas({
  records,
  objects,
  model: models,
}: Pick<Repositories, "records" | "objects" | "model">): Promise<{
  readonly examined: readonly ExaminedSchema[];
  readonly damaged: readonly string[];
}> {
  const { schemas, damaged } = await storedSchemas(records);
  const model = await loadModel(models, null);
  const examined: ExaminedSchema[] = [];
  for (const schema of schemas) examined.push(await examineSchema(schema, model, objects));
  return { examined, damaged };
}

/** The names of the schemas that fit the first model, and not the second. */
export async function schemasBrokenBy(
  { records, objects }: Pick<Repositories, "records" | "objects">,
  before: Model,
  after: Model,
): Promise<string[]> {
  const { schemas } = await storedSchemas(records);
  const broken: string[] = [];
  for (const schema of schemas) {
    if ((await examineSchema(schema, after, objects)).broken === null) continue;
    if ((await examineSchema(schema, before, objects)).broken === null) broken.push(schema.name);
  }
  return broken;
}
