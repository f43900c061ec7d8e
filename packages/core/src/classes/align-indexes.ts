import { Model, type ModelClass, wantedIndexes } from "../model/index.ts";
import type { Database } from "../request/index.ts";
import type { AttributeIndex, IndexReport, Storage } from "../storage/index.ts";

/** What was done, and what the engine had no room for. */
export interface AlignmentReport extends IndexReport {
  /** Wanted ones beyond the number that the engine declares; they stay unbuilt. */
  readonly left: readonly AttributeIndex[];
}

/** Gives a database the indexes that its model asks for, and takes others away. May take minutes; nobody waits for it. */
export class AlignIndexes {
  /** `busy` when another process is at it. */
  async alignIndexes(storage: Storage): Promise<AlignmentReport | "busy"> {
    const { model: models } = storage.repositories;
    const most = storage.capabilities.indexesPerTable ?? Infinity;
    const built: AttributeIndex[] = [];
    let removed = 0;
    for (;;) {
      const model = new Model(await models.load());
      const wanted = wantedIndexes(model);
      const report = await storage.alignIndexes(wanted);
      if (report === "busy") return report;
      built.push(...report.built);
      removed += report.removed;
      // Whoever changed the model meanwhile was told that somebody is at it.
      if ((await models.load()).generation === model.generation) return { built, removed, left: wanted.slice(most) };
    }
  }
}

export class ReadyIndexes {
  private constructor(private readonly names: ReadonlySet<string>) {}

  static async of(model: Model, storage: Pick<Storage, "readyIndexes">): Promise<ReadyIndexes> {
    const wanted = wantedIndexes(model);
    const ready = wanted.length === 0 ? [] : await storage.readyIndexes(wanted);
    return new ReadyIndexes(new Set(ready.map(({ className, attribute }) => `${className}.${attribute}`)));
  }

  /** Whether a list of the class, which has the objects of its whole family, finds them by the attribute's indexes. */
  serve({ subtree }: ModelClass, attribute: string): boolean {
    return subtree.every((className) => this.names.has(`${className}.${attribute}`));
  }
}

/** Port: brings the indexes of a database in line with its model, in the background. */
export interface IndexAlignment {
  begin(database: Database): void;
}
