import { described } from "../assert/described.ts";
import { checks as allChecks } from "../checks.ts";
import { humanReport } from "../reports/human-report.ts";
import { totalsOf } from "../reports/totals.ts";
import { runChecks } from "../run-checks.ts";
import { chooseChecks } from "./choose-checks.ts";
import { type CommandOptions, commandOptions, usage } from "./command-options.ts";
import { loadAdapter } from "./load-adapter.ts";
import { UsageError } from "./usage-error.ts";

/** Where the command writes. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** The command `sallyport-conformance`; gives its exit code. */
export async function runCommand(args: readonly string[], { stdout, stderr }: Terminal): Promise<0 | 1 | 2> {
  try {
    const options = commandOptions(args);
    if (options.help) stdout.write(usage);
    else if (options.list) stdout.write(list(options));
    else return await run(options, stdout);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`error: ${error.message}\n(--help tells what there is)\n`);
    return 2;
  }
}

async function run({ module, ...options }: CommandOptions, stdout: Terminal["stdout"]): Promise<0 | 1> {
  const checks = chooseChecks(allChecks, options);
  const adapter = await loadAdapter(module ?? "");
  const result = await runChecks(adapter, { checks }).catch((error: unknown) => {
    throw new UsageError(`${adapter.name} creates no storage: ${described(error)}`, { cause: error });
  });
  stdout.write(humanReport(result));
  return totalsOf(result.results).failed === 0 ? 0 : 1;
}

function list(options: CommandOptions): string {
  const chosen = chooseChecks(allChecks, options);
  const sections = new Set(chosen.map(({ section }) => section));
  const lines = [...sections].flatMap((section) => [section, ...chosen.filter((check) => check.section === section).map(({ name }) => `  ${name}`)]);
  return `${lines.join("\n")}\n`;
}
