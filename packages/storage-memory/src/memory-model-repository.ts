import { acceptStorable, type ModelDelta, type ModelRepository, type StoredModel } from "@sallyport/core";
import type { Access } from "./access.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { nextNumber } from "./state.ts";

export class MemoryModelRepository implements ModelRepository {
  constructor(private readonly access: Access) {}

  load(): Promise<StoredModel> {
    return this.access.read(({ classes, numbers }) => ({
      generation: numbers.get("modelGeneration") ?? 0,
      classes: [...classes.values()],
    }));
  }

  async change({ put }: ModelDelta, expectedGeneration: number): Promise<"ok" | "stale"> {
    acceptStorable(put);
    const definitions = frozenCopy(put);
    return this.access.write((state) => {
      if (state.numbers.get("modelGeneration") !== expectedGeneration) return "stale";
      nextNumber(state, "modelGeneration");
      for (const definition of definitions) state.classes.set(definition.name, definition);
      return "ok";
    });
  }
}
