import { type Violation, verifyDatabase } from "@sallyport/core";
import { ProgressLine } from "@sallyport/client/terminal";
import { CommandError } from "../command-line/command-error.ts";
import { type JsonOptions, printJson, printList } from "../command-line/list-command.ts";
import { counted, grouped } from "../command-line/progress.ts";
import type { ServerCommand, Work } from "../command-line/server-command.ts";

interface VerifyOptions extends JsonOptions {
  readonly fast?: boolean;
  /** `false`: no files. */
  readonly files: boolean;
}

/** `verify`: recomputes the invariants of a database. */
export function defineVerify(command: ServerCommand): void {
  command
    .option("--fast", "check only that the bytes of files exist; reads no whole file")
    .option("--no-files", "do not look at the bytes of files")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nReads one snapshot of the database, then its counters and files, and changes nothing. The command exits with 1 if it finds a violation.",
    )
    .onDatabase(verify);
}

function verify({ fast = false, files, ...options }: VerifyOptions): Work {
  return async ({ serving }) => {
    const progress = new ProgressLine(process.stderr);
    const violations: Violation[] = [];
    let records = 0;
    const onRecords = (count: number) => {
      records += count;
      progress.show(() => `Verifying, ${counted(records, "record")}`);
    };
    const verifying = verifyDatabase(await serving("hashes"), {
      files: files ? { fast } : null,
      onRecords,
    });
    for await (const violation of verifying) violations.push(violation);
    progress.clear();
    if (options.json) printJson({ records, violations });
    else {
      if (violations.length > 0) printList(violations, { json: (each) => each, columns }, options);
      console.log(`Verified ${grouped(records)} records${violations.length === 0 ? ". All invariants hold." : "."}`);
    }
    if (violations.length > 0)
      throw new CommandError(
        `${counted(violations.length, "invariant")} ${violations.length === 1 ? "is" : "are"} violated.`,
      );
  };
}

const columns = {
  INVARIANT: ({ invariant }: Violation) => invariant,
  FINDING: ({ finding }: Violation) => finding,
};
