import { nameOf, nonexistent, numberOf, withTexts } from "./object-names.ts";
import type { QueryScenario, ScenarioObject } from "./queries/query-scenario.ts";
import { ShrunkScenario } from "./shrunk-scenario.ts";

const maxTries = 500;

/** Shrinks the objects of a scenario: removes whole objects, then attributes and readers. */
export async function shrinkObjects(
  scenario: QueryScenario,
  differs: (smaller: QueryScenario) => Promise<boolean>,
): Promise<QueryScenario> {
  const smallest = new ShrunkScenario(scenario, differs, maxTries);
  if (scenario.indexed) await smallest.attempt({ ...scenario, indexed: false });
  for (let number = scenario.objects.length - 1; number >= 0; number -= 1)
    await smallest.attempt(without(smallest.scenario, number));
  for (let number = 0; number < smallest.scenario.objects.length; number += 1) {
    for (const name of Object.keys(objectOf(smallest.scenario, number).attributes)) {
      const attributes = Object.entries(objectOf(smallest.scenario, number).attributes);
      const others = Object.fromEntries(attributes.filter(([each]) => each !== name));
      await smallest.attempt(changed(smallest.scenario, number, { attributes: others }));
    }
    if (objectOf(smallest.scenario, number).readers !== null)
      await smallest.attempt(changed(smallest.scenario, number, { readers: null }));
  }
  return smallest.scenario;
}

function objectOf({ objects }: QueryScenario, number: number): ScenarioObject {
  return objects[number] as ScenarioObject;
}

function changed(scenario: QueryScenario, number: number, change: Partial<ScenarioObject>): QueryScenario {
  return { ...scenario, objects: scenario.objects.with(number, { ...objectOf(scenario, number), ...change }) };
}

/** Removes an object. Later objects are renumbered, and references to the removed one become `nonexistent`. */
function without({ objects, query, ...others }: QueryScenario, number: number): QueryScenario {
  const moved = <T>(value: T): T =>
    withTexts(value, (text) => {
      const named = numberOf(text);
      if (named === undefined || named < number) return text;
      return named === number ? nonexistent : nameOf(named - 1);
    }) as T;
  return { ...others, query: moved(query), objects: moved(objects.filter((_, index) => index !== number)) };
}
