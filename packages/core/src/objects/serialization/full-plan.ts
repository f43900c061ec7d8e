import type { Model } from "../../model/model.ts";
import { classPlan } from "./class-plan.ts";
import { type ClassPlan, metaFieldsOnly, type ObjectPlan } from "./object-plan.ts";

/** References are followed this far unless the request says otherwise. */
export const defaultDepth = 2;

const remembered = new WeakMap<Model, ObjectPlan[]>();

/**
 * Writes all attributes, those of targets too as far as they are at most `depth` steps away, and of targets one step
 * further the meta-fields. Worked out once per model.
 */
export function fullPlan(model: Model, depth: number): ObjectPlan {
  if (depth < 0) return metaFieldsOnly;
  const plans = remembered.get(model) ?? [];
  remembered.set(model, plans);
  return (plans[depth] ??= new FullPlan(model, depth));
}

class FullPlan implements ObjectPlan {
  readonly metaFields = true;
  readonly uuid = false;
  readonly attributes = true;
  readonly extensible = true;
  private readonly plans = new Map<string, ClassPlan | undefined>();

  constructor(
    private readonly model: Model,
    private readonly depth: number,
  ) {}

  of(className: string): ClassPlan | undefined {
    const known = this.plans.get(className);
    if (known !== undefined) return known;
    const modelClass = this.model.find(className);
    if (modelClass === undefined) return undefined;
    const link = { target: fullPlan(this.model, this.depth - 1), page: null };
    const plan = classPlan(
      modelClass,
      () => true,
      () => link,
    );
    this.plans.set(className, plan);
    return plan;
  }
}
