import { ServiceError } from "../errors/service-error.ts";
import type { SessionContext } from "../request/request-context.ts";
import { mayOnClass } from "../rights/visibility-of.ts";
import type { ClassStructure } from "./class-structure.ts";
import { ReadyIndexes } from "./ready-indexes.ts";
import { requestModel } from "./request-model.ts";
import { structureOf } from "./structure-of.ts";

export interface ModelStructure {
  readonly classes: readonly ClassStructure[];
  /** For the `ETag` of the answer. */
  readonly generation: number;
}

/** Shows the classes that the caller may read. Not within a transaction: 307, as storage tells beside it which indexes are ready. */
export class ReadStructure {
  async run(
    context: Pick<SessionContext, "r" | "database" | "unit" | "principal" | "modelGeneration">,
  ): Promise<ModelStructure> {
    const { database, principal, unit } = context;
    if (unit.joined) throw new ServiceError(307, { detail: "Classes are not shown within a transaction." });
    const model = (await requestModel(context)).as(principal);
    const readable = [...model.all()].filter((modelClass) => mayOnClass(principal, modelClass, "read"));
    const source = { model, principal, indexes: await ReadyIndexes.of(model, database.storage) };
    const classes = readable.map((modelClass) => structureOf(modelClass, source));
    return { classes, generation: model.generation };
  }
}
