import type { ModelRepository } from "../storage/index.ts";
import { Model } from "./model.ts";

/** Keeps the linked model of one database until admission reports another generation. */
export class ModelCache {
  private model: Model | undefined;
  private loading: Promise<Model> | undefined;

  /** The model of the generation, if it was loaded already. */
  loaded(generation: number): Model | undefined {
    return this.model?.generation === generation ? this.model : undefined;
  }

  /** The model of the generation, or a newer one. Parallel requests share one load. */
  async current(generation: number, models: Pick<ModelRepository, "load">): Promise<Model> {
    if (this.model?.generation === generation) return this.model;
    this.loading ??= this.load(models);
    const loaded = await this.loading;
    // A load that began before the change may bring the older model.
    return loaded.generation >= generation ? loaded : this.load(models);
  }

  private async load(models: Pick<ModelRepository, "load">): Promise<Model> {
    try {
      const model = new Model(await models.load());
      if (this.model === undefined || model.generation > this.model.generation) this.model = model;
      return model;
    } finally {
      this.loading = undefined;
    }
  }
}
