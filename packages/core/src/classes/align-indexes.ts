import { Model, type ModelClass, declaredIndexes } from "../model/index.ts";
import type { Database } from "../request/index.ts";
import { type AttributeIndex, type IndexReport, type Storage, untilDone } from "@sallyport/storage";

/** The result of an alignment. */
export interface AlignmentReport extends IndexReport {
  /** The indexes of the model that exceed the limit of the engine and were not built. */
  readonly left: readonly AttributeIndex[];
}

/**
 * Aligns the indexes of a database with its model. May take minutes; runs in the background. `busy` if another process
 * is aligning. 706 if the model changes all the time.
 */
export async function alignIndexes(storage: Storage): Promise<AlignmentReport | "busy"> {
  const { model: models } = storage.repositories;
  const limit = storage.capabilities.indexesPerTable ?? Infinity;
  const built: AttributeIndex[] = [];
  let removed = 0;
  return untilDone(async () => {
    const model = new Model(await models.load());
    const declared = declaredIndexes(model);
    const report = await storage.alignIndexes(declared);
    if (report === "busy") return report;
    built.push(...report.built);
    removed += report.removed;
    // A concurrent model change got `busy` for its own alignment, so align again.
    if ((await models.load()).generation === model.generation) return { built, removed, left: declared.slice(limit) };
    return undefined;
  });
}

/** The indexes of a model that are complete. */
export class ReadyIndexes {
  private constructor(private readonly names: ReadonlySet<string>) {}

  static async of(model: Model, storage: Pick<Storage, "readyIndexes">): Promise<ReadyIndexes> {
    const declared = declaredIndexes(model);
    const ready = declared.length === 0 ? [] : await storage.readyIndexes(declared);
    return new ReadyIndexes(new Set(ready.map(({ className, attribute }) => `${className}.${attribute}`)));
  }

  /** Whether a list of the class can use the attribute's indexes. A list includes all subclasses. */
  serve({ subtree }: ModelClass, attribute: string): boolean {
    return subtree.every((className) => this.names.has(`${className}.${attribute}`));
  }
}

/** Port: aligns the indexes of a database with its model in the background. */
export interface IndexAlignment {
  begin(database: Database): void;
}

/** Services of changes of classes. */
export interface ClassServices {
  readonly indexKeeper: IndexAlignment;
}
