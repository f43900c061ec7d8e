import { checkSuppliedFiles, startWarnings } from "../composition/supplied-files.ts";
import { demoNote, loadConfiguration, maskedConfiguration } from "../configuration/index.ts";
import { printJson } from "../command-line/list-command.ts";
import type { AliasOptions, ServerCommand } from "../command-line/server-command.ts";

/** `check-config`: prints the effective configuration, or all its errors. */
export function defineCheckConfig(command: ServerCommand): void {
  command
    .withConfiguration()
    .addHelpText(
      "after",
      "\nThe configuration goes to standard output, warnings to standard error. The exit code is 1 if it is invalid.",
    )
    .action(({ config }: AliasOptions) => {
      const configuration = loadConfiguration({ file: config });
      checkSuppliedFiles(configuration);
      printJson(maskedConfiguration(configuration));
      const note = demoNote(configuration);
      if (note !== null) console.error(`note: ${note}`);
      for (const warning of startWarnings(configuration)) console.error(`warning: ${warning}`);
    });
}
