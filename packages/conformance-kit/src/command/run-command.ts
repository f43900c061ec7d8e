import { randomInt } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AdapterUnderTest } from "../adapter-under-test.ts";
import { described } from "../assert/described.ts";
import { checks as allChecks } from "../checks.ts";
import { badgeEndpoint, badgeOf, badgeSvg } from "../reports/badge.ts";
import { HumanReport } from "../reports/human-report.ts";
import { jsonReport } from "../reports/json-report.ts";
import { terminalStyle } from "../reports/terminal-style.ts";
import { totalsOf } from "../reports/totals.ts";
import { concurrencyOf, runChecks } from "../run-checks.ts";
import { withEventLoopWatch } from "../watch/with-event-loop-watch.ts";
import type { Check } from "../check.ts";
import { compareAdapters, memoryReference } from "../differential/index.ts";
import { differentialReport, differentialSummary } from "../reports/differential-report.ts";
import { measureSpeed, type Speed, worstOf } from "../speed/measure-speed.ts";
import { speedReport } from "../speed/speed-report.ts";
import { type CommandOptions, commandOptions, usage } from "./command-options.ts";
import { loadAdapter } from "./load-adapter.ts";
import { quoted } from "./quoted.ts";
import { openUnderTest } from "../open-under-test.ts";
import { raceText, replaySchedule } from "../schedules/index.ts";
import { timeLimitOf, withinLimit } from "../within-limit.ts";
import { UsageError } from "./usage-error.ts";
import { writeReport } from "./write-report.ts";

/** The output streams of the command. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown } & Parameters<typeof terminalStyle>[0];
  readonly stderr: { write(text: string): unknown };
}

/** Milliseconds until the command reports a blocked event loop: the default time limit of a check. */
const usualSilence = 30_000;

/** Milliseconds for a read beside a writer, on a busy machine. */
const maxReadTime = 200;

/** Runs the command `sallyport-conformance` and returns its exit code. */
export async function runCommand(
  args: readonly string[],
  { stdout, stderr }: Terminal,
  silence = usualSilence,
): Promise<0 | 1 | 2> {
  try {
    const options = commandOptions(args);
    if (options.help) stdout.write(usage);
    else if (options.list) stdout.write(listOfChecks(chooseChecks(allChecks, options)));
    else if (options.schedule !== undefined) return await runSchedule(options, stdout);
    else if (options.differential !== undefined)
      return await withEventLoopWatch({ names: [], concurrency: 1, silence }, () => compareAdapter(options, stdout));
    else if (options.speed !== undefined && options.badge === undefined)
      return await withEventLoopWatch({ names: [], concurrency: 1, silence }, () => measureAdapter(options, stdout));
    else return await runAdapter(options, stdout, silence);
    return 0;
  } catch (error) {
    const report =
      error instanceof UsageError
        ? `${error.message}\n(see --help)`
        : `unexpected error in the kit: ${described(error)}`;
    stderr.write(`error: ${report}\n`);
    return 2;
  }
}

async function runAdapter(options: CommandOptions, stdout: Terminal["stdout"], silence: number): Promise<0 | 1> {
  const { module = "", json, badge } = options;
  const checks = chooseChecks(allChecks, options);
  if (badge !== undefined && checks.length < allChecks.length)
    throw new UsageError("--badge cannot be combined with --section or --check.");
  const adapter = readingOften(await loadAdapter(module), options.reads);
  const speeds = options.speed === undefined ? [] : await measured(adapter, options.speed, stdout);
  const again = (check: string) => `npx sallyport-conformance ${quoted(module)} --check ${quoted(check)}`;
  const report = new HumanReport(adapter.name, checks, {
    write: (text) => stdout.write(text),
    style: terminalStyle(stdout),
    live: stdout.isTTY === true,
    again,
  });
  const running = () =>
    withEventLoopWatch(
      { names: checks.map(({ name }) => name), concurrency: concurrencyOf(adapter), silence },
      (watch) =>
        runChecks(adapter, {
          checks,
          onStart: (declared) => report.start(declared),
          onBegin: ({ name }) => watch.begin(name),
          onResult: (result) => {
            watch.end(result.name);
            report.note(result);
          },
        }),
    );
  const { result, strayErrors } = await withStrayErrors(running)
    .catch((error: unknown) => {
      throw new UsageError(`${adapter.name} cannot create a storage: ${described(error)}`, { cause: error });
    })
    .finally(() => adapter.close?.());
  const done = { ...result, strayErrors };
  report.end(done);
  if (json !== undefined) await writeReport(json, `${JSON.stringify(jsonReport(done), null, 2)}\n`);
  if (badge !== undefined)
    await writeReport(badge, (badge.endsWith(".json") ? badgeEndpoint : badgeSvg)(badgeOf(done, speeds)));
  const { failed, notImplemented } = totalsOf(done.results);
  return failed + notImplemented + strayErrors.length === 0 ? 0 : 1;
}

/** Measures the adapter instead of running checks. Returns the exit code. */
async function measureAdapter(
  { module = "", speed = 0, json }: CommandOptions,
  stdout: { write(text: string): unknown },
): Promise<0 | 1> {
  const adapter = await loadAdapter(module);
  const speeds = await measured(adapter, speed, stdout).finally(() => adapter.close?.());
  if (json !== undefined) await writeReport(json, `${JSON.stringify({ size: speed, speeds }, null, 2)}\n`);
  return worstOf(speeds) === "red" ? 1 : 0;
}

/** Measures the adapter and writes the report. */
async function measured(
  adapter: AdapterUnderTest,
  size: number,
  stdout: { write(text: string): unknown },
): Promise<readonly Speed[]> {
  const speeds = await measureSpeed(adapter, { size, onProgress: (what) => stdout.write(`${adapter.name} ${what}\n`) });
  stdout.write(`\n${speedReport(speeds, size)}\n`);
  return speeds;
}

/** Runs one schedule instead of checks, on one kernel and across two of one database. Returns the exit code. */
async function runSchedule(
  { module = "", schedule = { scenario: { rows: {}, transactions: [] }, schedule: [] } }: CommandOptions,
  stdout: { write(text: string): unknown },
): Promise<0 | 1> {
  const adapter = await loadAdapter(module);
  try {
    const { ofKernel } = await openUnderTest(adapter, { clockOffset: () => 0, migrated: false });
    if (ofKernel === null) throw new UsageError("--schedule requires an adapter with a kernel.");
    try {
      const { kernel, another } = ofKernel;
      let race = await withinLimit(adapter, replaySchedule([kernel], schedule));
      if (race === null && another !== undefined)
        race = await withinLimit(adapter, replaySchedule([kernel, await another()], schedule));
      stdout.write(`${race === null ? "A serial order explains the outcome." : raceText(race)}\n`);
      return race === null ? 0 : 1;
    } finally {
      await ofKernel.destroy();
    }
  } finally {
    await adapter.close?.();
  }
}

/** The adapter with more reads beside a writer, and the time for them. */
function readingOften(adapter: AdapterUnderTest, reads: number | undefined): AdapterUnderTest {
  if (reads === undefined) return adapter;
  return { ...adapter, reads, timeLimit: timeLimitOf(adapter) + reads * maxReadTime };
}

/** The checks selected by the options; default all. */
function chooseChecks(
  checks: readonly Check[],
  { sections, checks: names }: Pick<CommandOptions, "sections" | "checks">,
): readonly Check[] {
  const available = {
    section: new Set(checks.map(({ section }) => section)),
    check: new Set(checks.map(({ name }) => name)),
  };
  const unknown = [
    ...sections.filter((name) => !available.section.has(name)).map((name) => `section "${name}"`),
    ...names.filter((name) => !available.check.has(name)).map((name) => `check "${name}"`),
  ];
  if (unknown.length > 0) throw new UsageError(`There is no ${unknown.join(" and no ")}. See --list.`);
  if (sections.length + names.length === 0) return checks;
  return checks.filter(({ section, name }) => sections.includes(section) || names.includes(name));
}

/** Sections and their checks, one per line, with a trailing newline. */
function listOfChecks(checks: readonly Check[]): string {
  const sections = new Set(checks.map(({ section }) => section));
  const lines = [...sections].flatMap((section) => [
    section,
    ...checks.filter((check) => check.section === section).map(({ name }) => `  ${name}`),
  ]);
  return `${lines.join("\n")}\n`;
}

/** Compares the adapter with the memory reference instead of running checks. Returns the exit code. */
async function compareAdapter(
  { module = "", differential: runs = 0, seed = randomInt(1_000_000_000), json }: CommandOptions,
  stdout: { write(text: string): unknown },
): Promise<0 | 1> {
  const adapter = await loadAdapter(module);
  const run = await compareAdapters(memoryReference, adapter, { runs, seed })
    .catch((error: unknown) => {
      throw new UsageError(`${adapter.name} cannot create a storage: ${described(error)}`, { cause: error });
    })
    .finally(() => adapter.close?.());
  const again = `npx sallyport-conformance ${quoted(module)} --differential ${runs} --seed ${seed}`;
  stdout.write(differentialSummary(run, module, again));
  if (json !== undefined) await writeReport(json, `${JSON.stringify(differentialReport(run, module), null, 2)}\n`);
  return run.difference === null ? 0 : 1;
}

/** Runs `work` and collects unhandled rejections and exceptions, which would otherwise end the process. */
async function withStrayErrors<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly strayErrors: readonly unknown[] }> {
  const strayErrors: unknown[] = [];
  const collect = (error: unknown) => void strayErrors.push(error);
  process.on("unhandledRejection", collect).on("uncaughtException", collect);
  try {
    const result = await work();
    // Node reports unhandled rejections only after the microtask queue is empty.
    await nextTurn();
    return { result, strayErrors };
  } finally {
    process.off("unhandledRejection", collect).off("uncaughtException", collect);
  }
}
