import { parsedArguments, runCommandLine, type Terminal, UsageError } from "../run/command-line.ts";
import { removeExercises } from "./exercises.ts";
import { parsedMinimum } from "./minimum.ts";
import { reportExercises } from "./report-coverage.ts";

const usage = `Usage: sallyport-coverage <folder or log>… [options]

Print which routes, codes and log-in modes of the contract were exercised: by tests that
recorded into a folder (SALLYPORT_COVERAGE), or by the requests in the access log of a server.
The records in a folder are removed afterwards, so that they do not count in the next run.

Options:
  --min <percent>  exit with 1 if fewer codes or routes were exercised; or kinds with their
                   percentages, such as routes=80,codes=40,pairs=30,modes=100,administration=10
  --json <file>    also write the coverage as JSON
  --badge <file>   also write an SVG badge
  --help           display help
`;

/** The output streams of the command. */
export type CoverageTerminal = Pick<Terminal, "stdout" | "stderr">;

/** Runs the command `sallyport-coverage` and returns its exit code. */
export function runCoverage(args: readonly string[], terminal: CoverageTerminal): Promise<number> {
  const { stdout } = terminal;
  return runCommandLine(terminal, async () => {
    const text = { type: "string" } as const;
    const { values, positionals } = parsedArguments({
      args: [...args],
      allowPositionals: true,
      options: { min: text, json: text, badge: text, help: { type: "boolean", short: "h" } },
    });
    const { min, help = false, ...files } = values;
    if (help) stdout.write(usage);
    if (help) return 0;
    if (positionals.length === 0) throw new UsageError("The folder or log is missing.");
    const write = (more: string) => void stdout.write(more);
    const options = { ...files, write, ...(min === undefined ? {} : { min: parsedMinimum(min) }) };
    const { failure } = await reportExercises(positionals, options);
    removeExercises(positionals);
    return failure === null ? 0 : 1;
  });
}
