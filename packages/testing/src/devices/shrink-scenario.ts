import type { Edit, Interruption, Scenario, Step, SyncStep } from "./scenario.ts";

/**
 * Removes parts of a failing scenario while it fails: halves, quarters and so on of the steps, then devices, then parts
 * of single steps.
 */
export async function shrinkScenario(
  scenario: Scenario,
  fails: (smaller: Scenario) => Promise<boolean>,
  maxTries: number,
): Promise<Scenario> {
  let smallest = scenario;
  let tries = 0;
  const attempt = async (smaller: Scenario): Promise<boolean> => {
    if (tries === maxTries) return false;
    tries += 1;
    const failed = await fails(smaller);
    if (failed) smallest = smaller;
    return failed;
  };
  const withoutRuns = async (): Promise<boolean> => {
    let removed = false;
    for (let size = Math.ceil(smallest.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let end = smallest.steps.length; end > 0; ) {
        const begin = Math.max(0, end - size);
        const steps = smallest.steps.toSpliced(begin, end - begin);
        if (await attempt({ ...smallest, steps })) removed = true;
        end = begin;
      }
    }
    return removed;
  };
  const plainer = async (): Promise<boolean> => {
    let found = false;
    for (let place = 0; place < smallest.steps.length; place += 1) {
      for (const step of plainerSteps(smallest.steps[place] as Step)) {
        if (!(await attempt({ ...smallest, steps: smallest.steps.with(place, step) }))) continue;
        found = true;
        place -= 1;
        break;
      }
    }
    return found;
  };
  const withoutDevices = async (): Promise<void> => {
    for (let device = smallest.devices.length - 1; device >= 0 && smallest.devices.length > 1; device -= 1)
      await attempt(withoutDevice(smallest, device));
  };
  await withoutRuns();
  await withoutDevices();
  while (await plainer()) if (!(await withoutRuns())) break;
  await withoutDevices();
  return smallest;
}

/** Simpler variants of a step, the simplest first. */
function plainerSteps(step: Step): Step[] {
  if (step.kind === "together") {
    const fewer = step.syncs.map((_, index) => step.syncs.toSpliced(index, 1));
    return [
      ...step.syncs,
      ...fewer.filter((syncs) => syncs.length > 1).map((syncs) => ({ ...step, syncs })),
      ...step.syncs.flatMap((sync, index) =>
        plainerSyncs(sync).map((plainer) => ({ ...step, syncs: step.syncs.with(index, plainer) })),
      ),
    ];
  }
  if (step.kind === "sync") return plainerSyncs(step);
  if (step.kind === "edit" || step.kind === "write") return plainerEdits(step.edit).map((edit) => ({ ...step, edit }));
  return [];
}

function plainerSyncs(step: SyncStep): SyncStep[] {
  const { faults = [], during = [], crash, server, ...plain } = step;
  const rest = { ...(server === undefined ? {} : { server }), ...(crash === undefined ? {} : { crash }) };
  const withDuring = during.length === 0 ? {} : { during };
  const harmless = faults.map((_, index) => faults.with(index, "none")).filter((_, index) => faults[index] !== "none");
  const isEmpty = faults.length === 0 && during.length === 0 && crash === undefined && server === undefined;
  return [
    ...(isEmpty ? [] : [plain]),
    ...(server === undefined ? [] : [omit(step, "server")]),
    ...(crash === undefined ? [] : [omit(step, "crash")]),
    ...(during.length === 0 ? [] : [omit(step, "during")]),
    ...(faults.length === 0 ? [] : [{ ...plain, ...rest, ...withDuring, faults: faults.slice(0, -1) }]),
    ...harmless.map((plainer) => ({ ...plain, ...rest, ...withDuring, faults: plainer })),
  ];
}

function omit(step: SyncStep, name: keyof SyncStep): SyncStep {
  return Object.fromEntries(Object.entries(step).filter(([member]) => member !== name)) as unknown as SyncStep;
}

function plainerEdits(edit: Edit): Edit[] {
  if (edit.kind === "remove") return [];
  const names = Object.keys(edit.fields);
  return names.map((name) => ({
    ...edit,
    fields: Object.fromEntries(Object.entries(edit.fields).filter(([each]) => each !== name)),
  }));
}

/** Removes a device with its steps. Later devices are renumbered. */
function withoutDevice({ devices, steps }: Scenario, device: number): Scenario {
  const moved = <T extends { readonly device: number }>(step: T): T =>
    step.device > device ? { ...step, device: step.device - 1 } : step;
  const kept = (step: Step): Step[] => {
    if (step.kind === "together") {
      const syncs = step.syncs.flatMap((sync) => kept(sync) as SyncStep[]);
      return syncs.length === 0 ? [] : [{ ...step, syncs }];
    }
    if (!("device" in step)) return [step];
    if (step.device === device) return [];
    if (step.kind !== "sync" || step.during === undefined) return [moved(step)];
    const during = step.during.flatMap((each): readonly Interruption[] => {
      if (!("device" in each.step)) return [each];
      return each.step.device === device ? [] : [{ ...each, step: moved(each.step) } as Interruption];
    });
    return [{ ...moved(step), during }];
  };
  return { devices: devices.toSpliced(device, 1), steps: steps.flatMap(kept) };
}
