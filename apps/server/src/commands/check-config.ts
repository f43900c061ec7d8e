import { Command } from "commander";
import { checkSuppliedFiles } from "../composition/check-supplied-files.ts";
import { demoNote, loadConfiguration, maskedConfiguration } from "../configuration/index.ts";
import { type ConfigurationOptions, configurationOption } from "./configuration-option.ts";

/** `check-config`: tells what a server would be started with, or everything that keeps it from starting. */
export function checkConfigCommand(): Command {
  return new Command("check-config")
    .description("check the configuration and print what results of it, without secrets")
    .addOption(configurationOption())
    .addHelpText(
      "after",
      "\nThe configuration goes to standard output, warnings to standard error; exit code 1 if it is refused.",
    )
    .action(({ config }: ConfigurationOptions) => {
      const configuration = loadConfiguration({ file: config });
      checkSuppliedFiles(configuration);
      console.log(JSON.stringify(maskedConfiguration(configuration), null, 2));
      const note = demoNote(configuration);
      if (note !== null) console.error(`note: ${note}`);
      for (const warning of configuration.warnings) console.error(`warning: ${warning}`);
    });
}
