import type { Command } from "commander";
import { commandGroup } from "../command-group.ts";
import { addProviderCommand } from "./add-provider.ts";
import { listLinksCommand } from "./list-links.ts";
import { listProvidersCommand } from "./list-providers.ts";
import { removeProviderCommand } from "./remove-provider.ts";
import { showProviderCommand } from "./show-provider.ts";
import { testProviderCommand } from "./test-provider.ts";
import { unlinkCommand } from "./unlink.ts";

/** `provider add|test|list|show|remove`, and `provider links|unlink` for the accounts that are bound. */
export function providerCommand(): Command {
  return commandGroup(
    "provider",
    "register identity providers in a database, and look after the accounts that are bound",
  )
    .addCommand(addProviderCommand())
    .addCommand(testProviderCommand())
    .addCommand(listProvidersCommand())
    .addCommand(showProviderCommand())
    .addCommand(removeProviderCommand())
    .addCommand(listLinksCommand())
    .addCommand(unlinkCommand());
}
