import { checkReference, writeReference } from "../reference.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { ServerCommand } from "../command-line/server-command.ts";

/** `reference`: writes the generated reference, or checks that it is up to date. */
export function defineReference(command: ServerCommand): void {
  command
    .option("--write <directory>", "write it to this directory")
    .option("--check <directory>", "fail if this directory is out of date")
    .action(run);
}

async function run({ write, check }: { readonly write?: string; readonly check?: string }): Promise<void> {
  if ((write === undefined) === (check === undefined)) throw new CommandError("Use either --write or --check.");
  if (write !== undefined) {
    writeReference(write);
    return;
  }
  const stale = checkReference(check as string);
  if (stale.length === 0) return;
  throw new CommandError(`Out of date: ${stale.join(", ")}. Run "reference --write ${check}".`);
}
