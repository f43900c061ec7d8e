import { nameOf, nobody, withTexts } from "./object-names.ts";
import type { QueryScenario, ScenarioObject } from "./queries/query-scenario.ts";

/** So often a smaller scenario is tried. */
const mostTries = 500;

/** Takes away of the objects what the difference does not depend on: whole ones, then attributes and readers. */
export async function fewerObjects(
  scenario: QueryScenario,
  differs: (smaller: QueryScenario) => Promise<boolean>,
): Promise<QueryScenario> {
  let smallest = scenario;
  let tries = 0;
  const attempt = async (smaller: QueryScenario): Promise<boolean> => {
    if (tries === mostTries) return false;
    tries += 1;
    const does = await differs(smaller);
    if (does) smallest = smaller;
    return does;
  };
  if (smallest.indexed) await attempt({ ...smallest, indexed: false });
  for (let number = smallest.objects.length - 1; number >= 0; number -= 1) await attempt(without(smallest, number));
  for (let number = 0; number < smallest.objects.length; number += 1) {
    for (const name of Object.keys(objectOf(smallest, number).attributes)) {
      await attempt(
        changed(smallest, number, (object) => ({
          ...object,
          attributes: Object.fromEntries(Object.entries(object.attributes).filter(([each]) => each !== name)),
        })),
      );
    }
    if (objectOf(smallest, number).readers !== null)
      await attempt(changed(smallest, number, (object) => ({ ...object, readers: null })));
  }
  return smallest;
}

function objectOf({ objects }: QueryScenario, number: number): ScenarioObject {
  return objects[number] as ScenarioObject;
}

function changed(
  scenario: QueryScenario,
  number: number,
  change: (object: ScenarioObject) => ScenarioObject,
): QueryScenario {
  return {
    ...scenario,
    objects: scenario.objects.map((object, index) => (index === number ? change(object) : object)),
  };
}

/** The scenario without an object: those behind it move up, and what pointed to it points to nobody. */
function without({ objects, query, ...others }: QueryScenario, number: number): QueryScenario {
  const moved = <T>(value: T): T =>
    withTexts(value, (text) => {
      const digits = /^#(\d+)$/.exec(text)?.[1];
      if (digits === undefined || Number(digits) < number) return text;
      return Number(digits) === number ? nobody : nameOf(Number(digits) - 1);
    }) as T;
  return { ...others, query: moved(query), objects: moved(objects.filter((_, index) => index !== number)) };
}
