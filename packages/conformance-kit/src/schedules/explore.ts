import { randomUUID } from "node:crypto";
import type { Kernel } from "@sallyport/storage";
import { bestExplanation, type Explanation, readingsText, rowsText } from "./oracle.ts";
import { type Decision, type Grace, graceOf, type Run, runSchedule, scheduleTable } from "./run-schedule.ts";
import { type Scenario, type Schedule, scenarioText, scheduleText } from "./script.ts";

export interface ExploreOptions {
  /** Maximum number of schedules to run. Default: 400, or 60 if calls leave the process. */
  readonly bound?: number;
  readonly grace?: Grace;
}

/** A schedule whose outcome has no explanation. */
export interface Race {
  readonly scenario: Scenario;
  readonly schedule: Schedule;
  readonly run: Run;
  /** The nearest serial order. */
  readonly nearest: Explanation;
}

export interface Exploration {
  /** Number of schedules that were run. */
  readonly runs: number;
  /** Number of different orders in which the calls ended. */
  readonly distinct: number;
  /** Whether all interleavings were run. */
  readonly isComplete: boolean;
  /** The first race, which ends the exploration; `null`: none. */
  readonly race: Race | null;
}

type Kernels = readonly [Kernel, ...Kernel[]];

/**
 * Runs transactions in every interleaving of their calls, up to a bound: first those that let a transaction go on, then those with
 * one switch, and so on. Interleavings that turn out equal, as one transaction has to wait for another, are run once. Each outcome
 * must be that of some serial order. The kernels are processes with one database.
 */
export async function exploreSchedules(
  kernels: Kernels,
  scenario: Scenario,
  options: ExploreOptions = {},
): Promise<Exploration> {
  const { durable, severalProcesses } = kernels[0].capabilities;
  const { bound = durable || severalProcesses ? 60 : 400, grace = graceOf(kernels[0].capabilities) } = options;
  await kernels[0].migrate([scheduleTable]);
  const prefix = randomUUID().slice(0, 8);
  const [expanded, traces] = [new Set<string>(), new Set<string>()];
  /** Beginnings of schedules to run, by their number of switches. */
  const waiting: Schedule[][] = [[[]]];
  let runs = 0;
  for (let next = takeFirst(waiting); next !== undefined && runs < bound; next = takeFirst(waiting)) {
    runs += 1;
    const run = await runSchedule(scenario, next, { kernels, grace, prefix: `${prefix}${runs}` });
    const trace = run.trace.join("; ");
    if (!traces.has(trace)) {
      traces.add(trace);
      const race = raceIn(scenario, run);
      if (race !== null) return { runs, distinct: traces.size, isComplete: false, race };
    }
    for (const { schedule, switches } of alternativesTo(run.decisions, next.length, expanded))
      (waiting[switches] ??= []).push(schedule);
  }
  return { runs, distinct: traces.size, isComplete: waiting.every((list) => (list ?? []).length === 0), race: null };
}

/** Runs one schedule. Returns the race, `null` if a serial order explains the outcome. */
export async function replaySchedule(
  kernels: Kernels,
  { scenario, schedule }: { readonly scenario: Scenario; readonly schedule: Schedule },
  grace = graceOf(kernels[0].capabilities),
): Promise<Race | null> {
  await kernels[0].migrate([scheduleTable]);
  const prefix = randomUUID().slice(0, 8);
  return raceIn(scenario, await runSchedule(scenario, schedule, { kernels, grace, prefix }));
}

function raceIn(scenario: Scenario, run: Run): Race | null {
  const nearest = bestExplanation(scenario, run.outcome);
  if (run.fault === null && nearest.differences === 0) return null;
  return { scenario, schedule: run.decisions.map(({ chosen }) => chosen), run, nearest };
}

function takeFirst(waiting: readonly (Schedule[] | undefined)[]): Schedule | undefined {
  return waiting.find((list) => list !== undefined && list.length > 0)?.shift();
}

/** The schedules that differ from a run in one decision, behind its given beginning. Notes the states that it has expanded. */
function alternativesTo(
  decisions: readonly Decision[],
  start: number,
  expanded: Set<string>,
): { readonly schedule: Schedule; readonly switches: number }[] {
  const chosen = decisions.map((decision) => decision.chosen);
  const found: { schedule: Schedule; switches: number }[] = [];
  let switches = 0;
  for (const [position, decision] of decisions.entries()) {
    const isSwitch = (next: number) =>
      position > 0 && next !== chosen[position - 1] && decision.enabled.includes(chosen[position - 1] as number);
    if (position >= start && !expanded.has(decision.state)) {
      expanded.add(decision.state);
      for (const other of decision.enabled)
        if (other !== decision.chosen)
          found.push({
            schedule: [...chosen.slice(0, position), other],
            switches: switches + (isSwitch(other) ? 1 : 0),
          });
    }
    if (isSwitch(decision.chosen)) switches += 1;
  }
  return found;
}

/** A race as text: the transactions, the schedule, what they read, the nearest serial order, and how to run it again. */
export function raceText({ scenario, schedule, run, nearest }: Race, seed: number | null = null): string {
  const { readings, rows } = run.outcome;
  const replay = `${scenarioText(scenario)} @ ${scheduleText(schedule)}`;
  const order = nearest.order.map((index) => index + 1).join(", ");
  return [
    run.fault ?? "No serial order of the committed transactions explains what they read and left behind",
    `rows      ${rowsText(new Map(Object.entries(scenario.rows)))}${seed === null ? "" : `; seed ${seed}`}`,
    ...scenarioText(scenario)
      .split(" | ")
      .slice(1)
      .map((steps, index) => `${index + 1}         ${steps}`),
    `schedule  ${run.trace.join("; ")}`,
    ...readings.map((own, index) => `${index + 1} read    ${readingsText(own)}`),
    `left      ${rowsText(rows)}`,
    ...nearest.order.map(
      (index) => `${index + 1} reads   ${readingsText(nearest.outcome.readings[index] ?? null)}, in the order ${order}`,
    ),
    `leaves    ${rowsText(nearest.outcome.rows)}, in the order ${order}`,
    `replay    --schedule "${replay}"`,
  ].join("\n");
}
