import { described } from "../assert/described.ts";
import { checks as allChecks } from "../checks.ts";
import { badgeEndpoint, badgeOf, badgeSvg } from "../reports/badge.ts";
import { HumanReport } from "../reports/human-report.ts";
import { jsonReport } from "../reports/json-report.ts";
import { terminalStyle } from "../reports/terminal-style.ts";
import { totalsOf } from "../reports/totals.ts";
import { concurrencyOf, runChecks } from "../run-checks.ts";
import { withEventLoopWatch } from "../watch/with-event-loop-watch.ts";
import { chooseChecks, listOfChecks } from "./choose-checks.ts";
import { type CommandOptions, commandOptions, usage } from "./command-options.ts";
import { compareAdapter } from "./compare-adapter.ts";
import { loadAdapter } from "./load-adapter.ts";
import { quoted } from "./quoted.ts";
import { UsageError } from "./usage-error.ts";
import { withStrayErrors } from "./with-stray-errors.ts";
import { writeReport } from "./write-report.ts";

/** Where the command writes. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown } & Parameters<typeof terminalStyle>[0];
  readonly stderr: { write(text: string): unknown };
}

/** How long the event loop may have no turn before that is told, in milliseconds: as long as a check may take. */
const usualSilence = 30_000;

/** The command `sallyport-conformance`; gives its exit code. */
export async function runCommand(
  args: readonly string[],
  { stdout, stderr }: Terminal,
  silence = usualSilence,
): Promise<0 | 1 | 2> {
  try {
    const options = commandOptions(args);
    if (options.help) stdout.write(usage);
    else if (options.list) stdout.write(listOfChecks(chooseChecks(allChecks, options)));
    else if (options.differential !== undefined)
      return await withEventLoopWatch({ names: [], concurrency: 1, silence }, () => compareAdapter(options, stdout));
    else return await runAdapter(options, stdout, silence);
    return 0;
  } catch (error) {
    const told =
      error instanceof UsageError
        ? `${error.message}\n(--help tells what there is)`
        : `the kit itself has failed: ${described(error)}`;
    stderr.write(`error: ${told}\n`);
    return 2;
  }
}

async function runAdapter(options: CommandOptions, stdout: Terminal["stdout"], silence: number): Promise<0 | 1> {
  const { module = "", json, badge } = options;
  const checks = chooseChecks(allChecks, options);
  if (badge !== undefined && checks.length < allChecks.length)
    throw new UsageError("A badge tells of all checks; leave --section and --check out.");
  const adapter = await loadAdapter(module);
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
          onStart: (capabilities) => report.start(capabilities),
          onBegin: ({ name }) => watch.begin(name),
          onResult: (result) => {
            watch.end(result.name);
            report.note(result);
          },
        }),
    );
  const { result, strayErrors } = await withStrayErrors(running).catch((error: unknown) => {
    throw new UsageError(`${adapter.name} creates no storage: ${described(error)}`, { cause: error });
  });
  const done = { ...result, strayErrors };
  report.end(done);
  if (json !== undefined) await writeReport(json, `${JSON.stringify(jsonReport(done), null, 2)}\n`);
  if (badge !== undefined)
    await writeReport(badge, (badge.endsWith(".json") ? badgeEndpoint : badgeSvg)(badgeOf(done)));
  const { failed, toWrite } = totalsOf(done.results);
  return failed + toWrite + strayErrors.length === 0 ? 0 : 1;
}
