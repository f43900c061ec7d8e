import { ServiceError } from "../errors/service-error.ts";
import type { SessionContext } from "../request/request-context.ts";
import { type Visibility, visibilityOf } from "../rights/index.ts";
import { ObjectSerializer } from "./object-serializer.ts";
import type { SerializedCollection } from "./serialized-object.ts";

export interface ListObjectsInput {
  readonly className: string;
  /** From 0. */
  readonly page: number;
  readonly perPage: number;
  /** How far references are followed; the default unless given. */
  readonly depth: number | undefined;
}

export type ObjectList = SerializedCollection;

/** Lists the objects of a class and of the classes below it. A class that is unknown or not readable: 304. */
export class ListObjects {
  async run(context: SessionContext, { className, page, perPage, depth }: ListObjectsInput): Promise<ObjectList> {
    const { r, database, principal, modelGeneration } = context;
    const model = await database.models.current(modelGeneration, r.model);
    const visibility = visibilityOf(principal, model);
    const modelClass = model.find(className);
    if (modelClass === undefined || !sees(visibility, className)) throw new ServiceError(304);
    const classes = modelClass.family.filter((name) => sees(visibility, name));

    const offset = page * perPage;
    const found = await r.objects.find(classes, visibility, { offset, limit: perPage });
    const endReached = found.length < perPage && (found.length > 0 || offset === 0);
    const count = endReached
      ? offset + found.length
      : await database.counts.get(countKey(classes, visibility), () => r.objects.count(classes, visibility));

    const source = { model, objects: r.objects, visibility, storeTime: database.storeTime };
    const serializer = new ObjectSerializer(source, depth);
    return { "~Count": count, "~UnfilteredCount": count, "~Elements": await serializer.run(found) };
  }
}

function sees({ classes }: Visibility, className: string): boolean {
  return classes === null || classes.has(className);
}

function countKey(classes: readonly string[], { principals }: Visibility): string {
  return JSON.stringify([classes, principals === null ? null : [...principals].toSorted()]);
}
