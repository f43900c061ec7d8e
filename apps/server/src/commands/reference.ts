import { checkReference, writeReference } from "../reference.ts";
import { CommandError } from "./command-error.ts";
import type { ServerCommand } from "./server-command.ts";

/** `reference`: writes the reference that is made from the code, or checks that it is up to date. */
export function defineReference(command: ServerCommand): void {
  command
    .option("--write <directory>", "write it into this directory")
    .option("--check <directory>", "fail if the one in this directory is not what the code says")
    .action(run);
}

async function run({ write, check }: { readonly write?: string; readonly check?: string }): Promise<void> {
  if ((write === undefined) === (check === undefined)) throw new CommandError("Say either --write or --check.");
  if (write !== undefined) {
    writeReference(write);
    return;
  }
  const stale = checkReference(check as string);
  if (stale.length === 0) return;
  throw new CommandError(
    `Not what the code says: ${stale.join(", ")}. "reference --write ${check}" brings it up to date.`,
  );
}
