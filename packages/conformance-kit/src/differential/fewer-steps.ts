import { eachStep, type GivenAttributes, type HistoryScenario, type Numbering } from "./histories/step.ts";
import { renumbered, type Step } from "./histories/step.ts";
import { nameOf, nonexistent, numberOf, withTexts } from "./object-names.ts";
import { Smallest } from "./smallest.ts";

/** So often a smaller scenario is tried. */
const mostTries = 300;

/** Takes away of the steps what the difference does not depend on, and of what remains the attributes. */
export async function fewerSteps(
  scenario: HistoryScenario,
  differs: (smaller: HistoryScenario) => Promise<boolean>,
): Promise<HistoryScenario> {
  const smallest = new Smallest(scenario, differs, mostTries);
  const attempt = (steps: Step[]) => smallest.attempt({ kind: "history", steps });
  for (let found = true; found; ) {
    found = false;
    for (let place = lengthOf(smallest.scenario.steps) - 1; place >= 0; place -= 1) {
      // Those that are about what a step has created go with it, so that there may be fewer places.
      if (place < lengthOf(smallest.scenario.steps) && (await attempt(without(smallest.scenario.steps, place))))
        found = true;
    }
  }
  for (let place = 0; place < lengthOf(smallest.scenario.steps); place += 1)
    await attempt(changed(smallest.scenario.steps, place, plainer));
  return smallest.scenario;
}

/** How many steps there are, those within transactions counted one by one. */
function lengthOf(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + (step.kind === "transaction" ? step.steps.length : 1), 0);
}

/** The steps with one of them changed, which may be within a transaction. */
function changed(steps: readonly Step[], place: number, change: (step: Step) => Step[]): Step[] {
  let current = 0;
  return eachStep(steps, (step) => {
    current += 1;
    return current - 1 === place ? change(step) : [step];
  });
}

function plainer(step: Step): Step[] {
  if (step.kind === "insert") return [{ ...step, attributes: {}, readers: null }];
  return [step.kind === "update" ? { ...step, attributes: {} } : step];
}

/** The steps without one of them: what it would have created is not mentioned any more, and what comes later has other numbers. */
function without(steps: readonly Step[], place: number): Step[] {
  const [objects, sessions] = [new Renumbering(), new Renumbering()];
  const numbers: Numbering = {
    object: (number) => objects.of(number),
    session: (number) => sessions.of(number),
    attributes: (given) => withTexts(given, (text) => objects.named(text)) as GivenAttributes,
  };
  let current = 0;
  return eachStep(steps, (step) => {
    const gone = current === place;
    current += 1;
    if (step.kind === "insert") objects.next(gone);
    if (step.kind === "open") sessions.next(gone);
    return gone ? [] : renumbered(step, numbers);
  });
}

/** The new numbers of things of which one is gone. */
class Renumbering {
  private readonly numbers: (number | undefined)[] = [];
  private count = 0;

  next(gone: boolean): void {
    this.numbers.push(gone ? undefined : this.count);
    if (!gone) this.count += 1;
  }

  of(number: number): number | undefined {
    return this.numbers[number];
  }

  /** A text in which the name of an object is its new name. */
  named(text: string): string {
    const old = numberOf(text);
    if (old === undefined) return text;
    const number = this.of(old);
    return number === undefined ? nonexistent : nameOf(number);
  }
}
