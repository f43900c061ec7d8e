import { Argument, Command } from "commander";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "./alias-option.ts";
import { withDatabase } from "./with-database.ts";

/** `maintenance on|off`: takes a database out of service. */
export function maintenanceCommand(): Command {
  return new Command("maintenance")
    .description("take a database out of service (its requests are answered 706), or back into it")
    .addArgument(new Argument("<state>").choices(["on", "off"]))
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action((state: "on" | "off", options: AliasOptions) =>
      withDatabase(options, async ({ database }) => {
        await database.storage.repositories.maintenance.set(state === "on");
        console.log(`Maintenance is ${state}.`);
      }),
    );
}
