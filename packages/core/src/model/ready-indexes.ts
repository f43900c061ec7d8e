import type { Storage } from "../storage/storage.ts";
import type { Model, ModelClass } from "./model.ts";
import { wantedIndexes } from "./wanted-indexes.ts";

/** Which of the indexes that a model asks for are there. */
export class ReadyIndexes {
  private constructor(private readonly names: ReadonlySet<string>) {}

  static async of(model: Model, storage: Pick<Storage, "readyIndexes">): Promise<ReadyIndexes> {
    const wanted = wantedIndexes(model);
    const ready = wanted.length === 0 ? [] : await storage.readyIndexes(wanted);
    return new ReadyIndexes(new Set(ready.map(({ className, attribute }) => `${className}.${attribute}`)));
  }

  /** Whether a list of the class, which has the objects of its whole family, finds them by the attribute's indexes. */
  serve({ family }: ModelClass, attribute: string): boolean {
    return family.every((className) => this.names.has(`${className}.${attribute}`));
  }
}
