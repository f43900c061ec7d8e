import { mayOnClass, type Model, type ModelClass } from "../model/index.ts";
import type { SessionContext } from "../request/index.ts";
import { type Permission, permissions } from "../storage/index.ts";

/** A class whose objects the caller may read. */
export interface ReadableClass {
  readonly modelClass: ModelClass;
  /** What the caller may do with its objects. */
  readonly permissions: readonly Permission[];
}

export interface ReadableClasses {
  readonly model: Model;
  /** By name. */
  readonly classes: readonly ReadableClass[];
}

/** Tells which classes the caller may read. */
export class ListReadableClasses {
  async run({ r, database, principal, modelGeneration }: SessionContext): Promise<ReadableClasses> {
    const model = (await database.models.current(modelGeneration, r.model)).as(principal);
    const classes = Array.from(model.all(), (modelClass): ReadableClass => {
      return {
        modelClass,
        permissions: permissions.filter((permission) => mayOnClass(principal, modelClass, permission)),
      };
    });
    const readable = classes.filter((each) => each.permissions.includes("read"));
    return { model, classes: readable.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
  }
}

function nameOf({ modelClass }: ReadableClass): string {
  return modelClass.definition.name;
}
