import { Command } from "commander";
import { version } from "../composition/version.ts";
import { appCommand } from "./apps/app.ts";
import { appKeyCommand } from "./apps/app-key.ts";
import { classCommand } from "./classes/class.ts";
import { customUsersCommand } from "./custom-users/custom-users.ts";
import { checkConfigCommand } from "./check-config.ts";
import { dumpCommand } from "./databases/dump.ts";
import { maintenanceCommand } from "./databases/maintenance.ts";
import { migrateCommand } from "./databases/migrate.ts";
import { restoreCommand } from "./databases/restore.ts";
import { seedCommand } from "./databases/seed.ts";
import { keyCommand } from "./keys/key.ts";
import { rotateKeyCommand } from "./keys/rotate-key.ts";
import { mailCommand } from "./mail/mail.ts";
import { macroCommand } from "./macros/macro.ts";
import { providerCommand } from "./providers/provider.ts";
import { referenceCommand } from "./reference.ts";
import { secondFactorCommand } from "./second-factors/second-factor.ts";
import { serveCommand } from "./serve.ts";
import { userCommand } from "./users/user.ts";

/** The command line of the server. */
export function mainCommand(): Command {
  const main = new Command("sallyport-server")
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
