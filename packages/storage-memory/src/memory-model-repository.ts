import { acceptStorable, type ModelDelta, type ModelRepository, type StoredModel } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./table.ts";
import { nextNumber } from "./state.ts";

export class MemoryModelRepository implements ModelRepository {
  constructor(private readonly access: Access) {}

  load(): Promise<StoredModel> {
    return this.access.read(({ classes, numbers }) => ({
      generation: numbers.get("modelGeneration") ?? 0,
      classes: [...classes.values()],
    }));
  }

  /** Transactions happen one after the other. */
  hold(): Promise<void> {
    return this.access.read(() => {});
  }

  async change({ put, removed = [] }: ModelDelta, expectedGeneration: number): Promise<"ok" | "stale"> {
    acceptStorable([put, removed]);
    const definitions = frozenCopy(put);
    const names = [...removed];
    return this.access.write((state) => {
      if (state.numbers.get("modelGeneration") !== expectedGeneration) return "stale";
      nextNumber(state, "modelGeneration");
      for (const name of names) state.classes.delete(name);
      for (const definition of definitions) state.classes.set(definition.name, definition);
      return "ok";
    });
  }
}
