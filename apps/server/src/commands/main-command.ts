import type { Command } from "commander";
import { checkSuppliedFiles } from "../composition/supplied-files.ts";
import { version } from "../composition/version.ts";
import { demoNote, loadConfiguration, maskedConfiguration } from "../configuration/index.ts";
import { appKeyCommand } from "./app-key.ts";
import { appCommand } from "./app.ts";
import { classCommand } from "./class.ts";
import { customUsersCommand } from "./users/custom-users.ts";
import { dumpCommand, restoreCommand } from "./archive.ts";
import { maintenanceCommand, migrateCommand, seedCommand } from "./database.ts";
import { keyCommand, rotateKeyCommand } from "./key.ts";
import { macroCommand } from "./macros/macro.ts";
import { mailCommand } from "./mail.ts";
import { providerCommand } from "./providers/provider.ts";
import { CommandError } from "./report-failure.ts";
import { secondFactorCommand } from "./second-factor.ts";
import { serveCommand } from "./serve.ts";
import { type AliasOptions, printJson, ServerCommand } from "./server-command.ts";
import { userCommand } from "./users/user.ts";

/** The command line of the server. */
export function mainCommand(): ServerCommand {
  const main = new ServerCommand("sallyport-server")
    .description("The controlled gate to a business-object database.")
    .version(version)
    // Behind a command, --version is what that means by it.
    .enablePositionalOptions()
    .addCommand(serveCommand(), { isDefault: true })
    .addCommand(migrateCommand())
    .addCommand(checkConfigCommand())
    .addCommand(appKeyCommand())
    .addCommand(appCommand())
    .addCommand(userCommand())
    .addCommand(customUsersCommand())
    .addCommand(secondFactorCommand())
    .addCommand(classCommand())
    .addCommand(macroCommand())
    .addCommand(mailCommand())
    .addCommand(providerCommand())
    .addCommand(keyCommand())
    .addCommand(rotateKeyCommand())
    .addCommand(maintenanceCommand())
    .addCommand(dumpCommand())
    .addCommand(restoreCommand())
    .addCommand(seedCommand())
    .addCommand(referenceCommand());
  pointToHelp(main);
  return main;
}

/** Commands inherit nothing from the one they are added to. */
function pointToHelp(command: Command): void {
  command.showHelpAfterError("(--help tells what there is)");
  for (const each of command.commands) pointToHelp(each);
}

/** `check-config`: tells what a server would be started with, or everything that keeps it from starting. */
function checkConfigCommand(): ServerCommand {
  return new ServerCommand("check-config")
    .description("check the configuration and print what results of it, without secrets")
    .withConfiguration()
    .addHelpText(
      "after",
      "\nThe configuration goes to standard output, warnings to standard error; exit code 1 if it is refused.",
    )
    .action(({ config }: AliasOptions) => {
      const configuration = loadConfiguration({ file: config });
      checkSuppliedFiles(configuration);
      printJson(maskedConfiguration(configuration));
      const note = demoNote(configuration);
      if (note !== null) console.error(`note: ${note}`);
      for (const warning of configuration.warnings) console.error(`warning: ${warning}`);
    });
}

/** `reference`: writes the reference that is made from the code, or checks that it is up to date. */
function referenceCommand(): ServerCommand {
  return new ServerCommand("reference")
    .description("write or check the generated reference (errors, configuration, API)")
    .option("--write <directory>", "write it into this directory")
    .option("--check <directory>", "fail if the one in this directory is not what the code says")
    .action(run);
}

async function run({ write, check }: { readonly write?: string; readonly check?: string }): Promise<void> {
  if ((write === undefined) === (check === undefined)) throw new CommandError("Say either --write or --check.");
  const { checkReference, writeReference } = await import("../reference.ts");
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
