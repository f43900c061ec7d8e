import { operatorEvent } from "@sallyport/core";
import { Argument, Command } from "commander";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "./alias-option.ts";
import { withDatabase } from "./with-database.ts";

/** `maintenance <on|off>`: takes a database out of service. */
export function maintenanceCommand(): Command {
  return new Command("maintenance")
    .description("take a database out of service, or back into it; running servers see it with the next request")
    .addArgument(new Argument("<on|off>", "on: its requests are answered 706; off: they are served"))
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(set);
}

async function set(state: string, options: AliasOptions): Promise<void> {
  if (state !== "on" && state !== "off")
    throw new CommandError(`Say "maintenance on" or "maintenance off"; "${state}" is neither.`);
  await withDatabase(options, async ({ database }) => {
    await database.storage.transaction(async (r) => {
      await r.maintenance.set(state === "on");
      await r.audit.append(operatorEvent({ type: state === "on" ? "maintenance.begun" : "maintenance.ended" }));
    });
    console.log(`Maintenance is ${state}.`);
  });
}
