import { eachStep, type InputAttributes, type HistoryScenario, type Numbering } from "./histories/step.ts";
import { renumbered, type Step } from "./histories/step.ts";
import { nameOf, nonexistent, numberOf, withTexts } from "./object-names.ts";
import { ShrunkScenario } from "./shrunk-scenario.ts";

const maxTries = 300;

/** Shrinks the steps of a scenario, then the attributes of the remaining steps. */
export async function shrinkSteps(
  scenario: HistoryScenario,
  differs: (smaller: HistoryScenario) => Promise<boolean>,
): Promise<HistoryScenario> {
  const smallest = new ShrunkScenario(scenario, differs, maxTries);
  const attempt = (steps: Step[]) => smallest.attempt({ kind: "history", steps });
  for (let found = true; found; ) {
    found = false;
    for (let place = lengthOf(smallest.scenario.steps) - 1; place >= 0; place -= 1) {
      // A removal also removes the steps that depend on the step, so the number of places can shrink.
      if (place < lengthOf(smallest.scenario.steps) && (await attempt(without(smallest.scenario.steps, place))))
        found = true;
    }
  }
  for (let place = 0; place < lengthOf(smallest.scenario.steps); place += 1)
    await attempt(changed(smallest.scenario.steps, place, plainer));
  return smallest.scenario;
}

/** Number of steps, including each step within a transaction. */
function lengthOf(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + (step.kind === "transaction" ? step.steps.length : 1), 0);
}

/** The steps with one of them changed, at the top level or within a transaction. */
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

/** Removes a step. Steps that depend on its result are removed, and later objects and sessions are renumbered. */
function without(steps: readonly Step[], place: number): Step[] {
  const [objects, sessions] = [new Renumbering(), new Renumbering()];
  const numbers: Numbering = {
    object: (number) => objects.of(number),
    session: (number) => sessions.of(number),
    attributes: (input) => withTexts(input, (text) => objects.named(text)) as InputAttributes,
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

/** Maps old numbers to new ones after a removal. */
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

  /** Replaces an object name by its new name. */
  named(text: string): string {
    const old = numberOf(text);
    if (old === undefined) return text;
    const number = this.of(old);
    return number === undefined ? nonexistent : nameOf(number);
  }
}
