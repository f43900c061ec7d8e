import { acceptStorable, type ModelRepository } from "@sallyport/storage";
import type { Access } from "./access.ts";
import { frozenCopy } from "./table.ts";
import { nextNumber } from "./state.ts";

export const memoryModelRepository = (access: Access): ModelRepository => ({
  load: () =>
    access.read(({ classes, numbers }) => ({
      generation: numbers.get("modelGeneration") ?? 0,
      classes: [...classes.values()],
    })),

  /** Transactions are sequential. */
  lock: () => access.read(() => {}),

  async change({ put, removed = [] }, expectedGeneration) {
    acceptStorable([put, removed]);
    const definitions = frozenCopy(put);
    const names = [...removed];
    return access.write((state) => {
      if (state.numbers.get("modelGeneration") !== expectedGeneration) return "stale";
      nextNumber(state, "modelGeneration");
      for (const name of names) state.classes.delete(name);
      for (const definition of definitions) state.classes.set(definition.name, definition);
      return "ok";
    });
  },
});
