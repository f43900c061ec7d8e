import type { ClassDefinition } from "../entities/class-definition.ts";
import type { Access } from "../kernel/access.ts";
import type { Rows } from "../kernel/rows.ts";
import type { ModelRepository } from "../ports/model-repository.ts";
import { acceptStorable } from "../entities/storable-text.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { currentNumber, nextNumbers } from "./numbers.ts";
import { classTable } from "./tables.ts";

export const modelRepository = (access: Access): ModelRepository => ({
  load: () =>
    access.read(async (rows) => ({
      generation: await currentNumber(rows, "modelGeneration"),
      classes: (await rows.list(classTable, { index: "byOrder" }, Number.POSITIVE_INFINITY)).map(
        ({ definition }) => definition,
      ),
    })),

  /** Transactions have the outcome of a serial order: what is read makes a concurrent change of the model conflict. */
  lock: () => access.read(async (rows) => void (await currentNumber(rows, "modelGeneration"))),

  async change({ put, removed = [] }, expectedGeneration) {
    acceptStorable([put, removed]);
    const definitions = frozenCopy(put);
    const names = removed.map((name) => [name]);
    return access.write(async (rows) => {
      if ((await currentNumber(rows, "modelGeneration")) !== expectedGeneration) return "stale";
      await rows.delete(classTable, ...names);
      await putClasses(rows, definitions);
      return "ok";
    });
  },
});

/** Stores classes as the next generation of the model. Each keeps its place in the model; new ones come last, in this order. */
export async function putClasses(rows: Rows, definitions: readonly ClassDefinition[]): Promise<void> {
  await nextNumbers(rows, "modelGeneration");
  const names = definitions.map(({ name }) => [name]);
  const places = new Map(
    (await rows.getAll(classTable, names)).map(({ definition, order }) => [definition.name, order]),
  );
  const next = await nextNumbers(rows, "class", definitions.length);
  await rows.put(
    classTable,
    ...definitions.map((definition, index) => ({ definition, order: places.get(definition.name) ?? next + index })),
  );
}
