import { ServiceError } from "../errors/index.ts";
import { builtInClasses, type Model } from "../model/index.ts";
import { currentModel, type SessionContext, sessionEvent } from "../request/index.ts";
import { type Repositories, requireAdministrator, seesAll } from "../storage/index.ts";
import type { IndexAlignment } from "./align-indexes.ts";

export interface RemoveClassInput {
  readonly name: string;
  /** Generations that the model may have; `null` for any. */
  readonly expectedGenerations: readonly number[] | null;
}

/**
 * Takes a class away that nothing needs any more. Whoever is no administrator: 404; an unknown class: 304; a built-in one,
 * and one with objects, be they in the recycler, with classes below it or with links to it: 307; another generation than expected: 713. The
 * removal is recorded with it.
 */
export class RemoveClass {
  constructor(private readonly indexes: IndexAlignment) {}

  async run(context: SessionContext, input: RemoveClassInput): Promise<{ readonly generation: number }> {
    const { r: outside, database, principal } = context;
    requireAdministrator(principal);
    // What is refused here keeps no writer waiting.
    await prepare(outside, input);
    const generation = await database.storage.transaction(async (r) => {
      await r.model.hold();
      const before = await prepare(r, input);
      const outcome = await r.model.change({ put: [], removed: [input.name] }, before.generation);
      if (outcome === "stale") throw new ServiceError(706, { detail: "The model was changed though it was held." });
      await r.audit.append(sessionEvent(context, { type: "class.removed", className: input.name }));
      return before.generation + 1;
    });
    this.indexes.begin(database);
    return { generation };
  }
}

/** Checks everything; the model from which the class can be taken. */
async function prepare(r: Repositories, { name, expectedGenerations }: RemoveClassInput): Promise<Model> {
  const model = await currentModel(r.model, expectedGenerations);
  const modelClass = model.find(name);
  if (modelClass === undefined) throw new ServiceError(304);
  const refuse = (detail: string) => new ServiceError(307, { detail });
  if (builtInClasses.some((each) => each.name === name)) throw refuse("The class is built in.");
  const below = modelClass.family.filter((each) => each !== name);
  if (below.length > 0) throw refuse(`These classes inherit from it: ${below.join(", ")}.`);
  const pointing = [...model.all()].flatMap(({ definition }) =>
    definition.name === name
      ? []
      : definition.attributes.filter(({ target }) => target === name).map((each) => `${definition.name}.${each.name}`),
  );
  if (pointing.length > 0) throw refuse(`These attributes point to it: ${pointing.join(", ")}.`);
  const recycled = await r.departures.countRecycled([name]);
  const count = (await r.objects.count({ classes: [name] }, seesAll)) + recycled;
  if (count > 0) throw refuse(`${count} objects are of the class, ${recycled} of them in the recycler.`);
  return model;
}
