import type { Kernel } from "@sallyport/storage";
import { ConformanceError } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { anomalies, exploreSchedules, randomScenarios, raceText, type Scenario } from "../../schedules/index.ts";
import { kernelChecks, type KernelSubject } from "./kernel-checks.ts";

/** Fixed, so that all runs draw the same scenarios. */
const seed = 20_261_129;

async function explore(
  kernels: readonly [Kernel, ...Kernel[]],
  scenarios: readonly Scenario[],
  drawnWith: number | null,
): Promise<void> {
  for (const scenario of scenarios) {
    const { race } = await exploreSchedules(kernels, scenario);
    if (race !== null) throw new ConformanceError(raceText(race, drawnWith));
  }
}

const alone = kernelChecks({
  ...Object.fromEntries(
    Object.entries(anomalies).map(([name, scenario]) => [
      `shows no ${name}, in any interleaving`,
      ({ kernel }: KernelSubject) => explore([kernel], [scenario], null),
    ]),
  ),

  "explains every interleaving of random transactions by a serial order": ({ kernel }) =>
    explore([kernel], randomScenarios(seed, 12), seed),
});

const acrossProcesses = kernelChecks(
  Object.fromEntries(
    Object.entries(anomalies).map(([name, scenario]) => [
      `shows no ${name} across processes, in any interleaving`,
      async ({ kernel, another }: KernelSubject) => explore([kernel, await another()], [scenario], null),
    ]),
  ),
  { needs: "severalProcesses" },
);

export const kernelScheduleChecks: readonly Check[] = [...alone, ...acrossProcesses];
