import { HumanReport } from "../../run/human-report.ts";
import { writeJsonReport } from "../../run/json-report.ts";
import { runCommandLine, type Terminal, UsageError } from "../../run/command-line.ts";
import { allChecks } from "../all-checks.ts";
import { runAcceptance, tracesSection } from "../run-acceptance.ts";
import { whyUntestable } from "../target/readiness.ts";
import type { ServerCheck, Target } from "../target/visit.ts";
import { type CommandOptions, commandOptions, usage } from "./command-options.ts";

/**
 * Runs the command `sallyport-acceptance` and returns its exit code. `stop` ends it after the present check; its reason
 * is then the exit code.
 */
export function runCommand(args: readonly string[], terminal: Terminal, stop?: AbortSignal): Promise<number> {
  const { stdout, env } = terminal;
  return runCommandLine(terminal, async () => {
    const options = commandOptions(args, env);
    if (options.help) stdout.write(usage);
    else if (options.list) stdout.write(listOfChecks(chosenChecks(options)));
    else if (options.target !== null) return testServer(options.target, options, stdout, stop);
    return 0;
  });
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
  const { administrationKey, json } = options;
  const administrator = options.hasDemo ? { user: "admin", password: "admin" } : {};
  const observer = { ...target, ...administrator, administrationKey };
  const sections = [...checks.map(({ section }) => section), tracesSection, tracesSection];
  const report = new HumanReport(sections, {
    stdout,
    again: ({ section, mode }) =>
      section === tracesSection
        ? null
        : [
            "npx --package @sallyport/testing sallyport-acceptance",
            target.url,
            `--section "${section}"`,
            ...(mode === null ? [] : [`--mode ${mode}`]),
          ].join(" "),
  });
  report.start(target.url);
  const results = await runAcceptance(target, checks, observer, (result) => report.note(result), stop);
  report.end();
  if (stop?.aborted === true) {
    stdout.write("Interrupted: the other checks did not run.\n");
    return stop.reason as number;
  }
  if (json !== undefined) await writeJsonReport(json, "sallyport-acceptance", target.url, results);
  return results.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}

function chosenChecks({ modes, hasDemo, sections }: CommandOptions): readonly ServerCheck[] {
  const checks = allChecks(modes, hasDemo);
  const names = new Set(checks.map(({ section }) => section));
  const unknown = sections.filter((name) => !names.has(name));
  if (unknown.length > 0) throw new UsageError(`There is no section "${unknown[0]}". See --list.`);
  return sections.length === 0 ? checks : checks.filter(({ section }) => sections.includes(section));
}

/** Sections and their checks, one per line, with a trailing newline. */
function listOfChecks(checks: readonly ServerCheck[]): string {
  const sections = new Set(checks.map(({ section }) => section));
  const lines = [...sections].flatMap((section) => {
    const titles = new Set(checks.filter((check) => check.section === section).map(({ title }) => title));
    return [section, ...[...titles].map((title) => `  ${title}`)];
  });
  return `${lines.join("\n")}\n`;
}
