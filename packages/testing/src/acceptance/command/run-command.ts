import { writeFile } from "node:fs/promises";
import type { WriteStream } from "node:tty";
import { allChecks } from "../all-checks.ts";
import type { Check } from "../run/check.ts";
import { HumanReport } from "../run/human-report.ts";
import { jsonReport, totalsOf } from "../run/json-report.ts";
import { whyUntestable } from "../run/readiness.ts";
import { runChecks } from "../run/run-checks.ts";
import type { Target } from "../run/visit.ts";
import { type CommandOptions, commandOptions, usage, UsageError } from "./command-options.ts";

/** The output streams and environment of the command. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown } & Partial<Pick<WriteStream, "isTTY" | "hasColors">>;
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the command `sallyport-acceptance` and returns its exit code. `stop` ends it after the present check; its reason is then
 * the exit code.
 */
export async function runCommand(
  args: readonly string[],
  { stdout, stderr, env }: Terminal,
  stop?: AbortSignal,
): Promise<number> {
  try {
    const options = commandOptions(args, env);
    if (options.help) stdout.write(usage);
    else if (options.list) stdout.write(listOfChecks(chosenChecks(options)));
    else if (options.target !== null) return await testServer(options.target, options, stdout, stop);
    return 0;
  } catch (error) {
    const text = error instanceof UsageError ? `${error.message}\n(see --help)` : String((error as Error).stack);
    stderr.write(`error: ${text}\n`);
    return 2;
  }
}

async function testServer(
  target: Target,
  options: CommandOptions,
  stdout: Terminal["stdout"],
  stop: AbortSignal | undefined,
): Promise<number> {
  const checks = chosenChecks(options);
  const reason = await whyUntestable(target, options.hasDemo);
  if (reason !== null) throw new UsageError(reason);
  const { administrationKey } = options;
  const administrator = options.hasDemo ? { user: "admin", password: "admin" } : {};
  const observer = { ...target, ...administrator, administrationKey };
  const report = new HumanReport(checks, {
    write: (text) => stdout.write(text),
    colourful: stdout.isTTY === true && stdout.hasColors?.() === true,
    again: (section, mode) =>
      [
        "npx --package @sallyport/testing sallyport-acceptance",
        target.url,
        `--section "${section}"`,
        ...(mode === null ? [] : [`--mode ${mode}`]),
      ].join(" "),
  });
  report.start(target.url);
  const results = await runChecks(target, checks, observer, (result) => report.note(result), stop);
  report.end();
  if (stop?.aborted === true) {
    stdout.write("Interrupted: the other checks did not run.\n");
    return stop.reason as number;
  }
  if (options.json !== undefined) {
    const { json } = options;
    await writeFile(json, `${JSON.stringify(jsonReport(target.url, results), null, 2)}\n`).catch((error: unknown) => {
      throw new UsageError(`${json} cannot be written: ${(error as Error).message}`, { cause: error });
    });
  }
  return totalsOf(results).failed === 0 ? 0 : 1;
}

function chosenChecks({ modes, hasDemo, sections }: CommandOptions): readonly Check[] {
  const checks = allChecks(modes, hasDemo);
  const known = new Set(checks.map(({ section }) => section));
  const unknown = sections.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new UsageError(`There is no section "${unknown[0]}". See --list.`);
  return sections.length === 0 ? checks : checks.filter(({ section }) => sections.includes(section));
}

/** Sections and their checks, one per line, with a trailing newline. */
function listOfChecks(checks: readonly Check[]): string {
  const sections = new Set(checks.map(({ section }) => section));
  const lines = [...sections].flatMap((section) => {
    const titles = new Set(checks.filter((check) => check.section === section).map(({ title }) => title));
    return [section, ...[...titles].map((title) => `  ${title}`)];
  });
  return `${lines.join("\n")}\n`;
}
