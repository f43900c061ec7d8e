import fc from "fast-check";
import { randomScenario, type ScenarioSize } from "./random-scenario.ts";
import type { Edit, Fault, Interruption, Scenario, Step, SyncStep } from "./scenario.ts";

/** Random scenarios for fast-check. A failing one shrinks to some of its steps, devices and details. */
export function scenarios(size: ScenarioSize): fc.Arbitrary<Scenario> {
  return new ScenarioArbitrary(size);
}

/** The random scenario of a seed. The same seed and size give the same one. */
export function scenarioOf(seed: number, size: ScenarioSize): Scenario {
  return fc.sample(scenarios(size), { seed, numRuns: 1 })[0] as Scenario;
}

/** The place among the parts of a scenario where shrinking continues. */
interface Progress {
  /** Number of parts that are removed together. */
  readonly size: number;
  readonly at: number;
}

class ScenarioArbitrary extends fc.Arbitrary<Scenario> {
  constructor(private readonly size: ScenarioSize) {
    super();
  }

  override generate(random: fc.Random): fc.Value<Scenario> {
    return new fc.Value(randomScenario(random, this.size), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Scenario {
    return typeof value === "object" && value !== null && "devices" in value && "steps" in value;
  }

  override shrink(scenario: Scenario, progress?: unknown): fc.Stream<fc.Value<Scenario>> {
    return fc.stream(smallerScenarios(scenario, progress as Progress | undefined));
  }
}

/**
 * The scenario without a half of its parts, a quarter and so on, and at last without each single one. A removed part can
 * make an earlier one superfluous, so the single ones before the last success follow again.
 */
function* smallerScenarios(scenario: Scenario, progress?: Progress): IterableIterator<fc.Value<Scenario>> {
  const parts = partsOf(scenario);
  const without = ({ size, at }: Progress) => {
    const removed = new Set(parts.slice(at, at + size));
    return new fc.Value(
      remainder(scenario, (part) => removed.has(part)),
      { size, at } satisfies Progress,
    );
  };
  let { size, at } = progress ?? { size: Math.ceil(parts.length / 2), at: 0 };
  for (; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (; at < parts.length; at += size) yield without({ size, at });
    at = 0;
  }
  const again = progress?.size === 1 ? Math.min(progress.at, parts.length) : 0;
  for (at = 0; at < again; at += 1) yield without({ size: 1, at });
}

/** The parts of a scenario, the largest first: devices with their steps, steps, details of steps. The last of each come first. */
function partsOf(scenario: Scenario): string[] {
  const parts: string[] = [];
  remainder(scenario, (part) => {
    parts.push(part);
    return false;
  });
  const depthOf = (part: string) => part.split("/").length;
  return parts.toReversed().toSorted((one, other) => depthOf(one) - depthOf(other));
}

/** The scenario without the removed parts. Each part has a path of its own. One device stays. */
function remainder({ devices, steps }: Scenario, isRemoved: (part: string) => boolean): Scenario {
  const keptSteps = steps.flatMap((step, index) => (isRemoved(`${index}`) ? [] : remainingStep(step, `${index}`)));
  const numbers = [...devices.keys()];
  const chosen = devices.length === 1 ? numbers : numbers.filter((device) => !isRemoved(`device ${device}`));
  const remaining = chosen.length === 0 ? numbers.slice(0, 1) : chosen;
  return {
    devices: remaining.map((device) => devices[device] as number),
    steps: keptSteps.flatMap((step) => ofDevices(step, remaining)),
  };

  function remainingStep(step: Step, path: string): Step[] {
    if (step.kind === "together") {
      const syncs = step.syncs.flatMap((sync, index) =>
        isRemoved(`${path}/${index}`) ? [] : [remainingSync(sync, `${path}/${index}`)],
      );
      return syncs.length > 1 ? [{ ...step, syncs }] : syncs;
    }
    if (step.kind === "sync") return [remainingSync(step, path)];
    if (step.kind === "edit" || step.kind === "write") return [{ ...step, edit: remainingEdit(step.edit, path) }];
    return [step];
  }

  function remainingSync({ kind, device, ...details }: SyncStep, path: string): SyncStep {
    const { server, crash } = details;
    const faults = (details.faults ?? []).map(
      (fault, index): Fault => (fault === "none" || isRemoved(`${path}/fault ${index}`) ? "none" : fault),
    );
    const during = (details.during ?? []).filter((_, index) => !isRemoved(`${path}/during ${index}`));
    const met = faults.slice(0, faults.findLastIndex((fault) => fault !== "none") + 1);
    return {
      kind,
      device,
      ...(server === undefined || isRemoved(`${path}/server`) ? {} : { server }),
      ...(met.length === 0 ? {} : { faults: met }),
      ...(crash === undefined || isRemoved(`${path}/crash`) ? {} : { crash }),
      ...(during.length === 0 ? {} : { during }),
    };
  }

  function remainingEdit(edit: Edit, path: string): Edit {
    if (edit.kind === "remove") return edit;
    const fields = Object.entries(edit.fields).filter(([name]) => !isRemoved(`${path}/${name}`));
    return { ...edit, fields: Object.fromEntries(fields) };
  }
}

/** The step with the new numbers of its devices; empty if its device is not kept. */
function ofDevices(step: Step, remaining: readonly number[]): Step[] {
  if (step.kind === "together") {
    const syncs = step.syncs.flatMap((sync) => ofDevices(sync, remaining) as SyncStep[]);
    return syncs.length > 1 ? [{ ...step, syncs }] : syncs;
  }
  if (!("device" in step)) return [step];
  const device = remaining.indexOf(step.device);
  if (device === -1) return [];
  if (step.kind !== "sync" || step.during === undefined) return [{ ...step, device }];
  const { during, ...rest } = step;
  const left = during.flatMap((each) =>
    ofDevices(each.step, remaining).map((inner) => ({ ...each, step: inner }) as Interruption),
  );
  return [{ ...rest, device, ...(left.length === 0 ? {} : { during: left }) }];
}
