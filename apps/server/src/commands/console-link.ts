import { issueConsoleTicket } from "@sallyport/core";
import { components } from "../composition/components.ts";
import { consoleBase, consoleLink } from "../composition/public-address.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { ServerCommand } from "../command-line/server-command.ts";
import type { OpenedDatabase } from "../command-line/with-database.ts";

/** `console-link`. The link goes to standard output, so that a script can open it. */
export function defineConsoleLink(command: ServerCommand): void {
  command
    .addHelpText(
      "after",
      "\nThe link can be used once, for 5 minutes. The console then asks for name and password of an administrator.",
    )
    .onDatabase(() => printLink);
}

async function printLink({ database: { alias }, container, serving }: OpenedDatabase): Promise<void> {
  const configuration = container.get(components.configuration);
  if (!configuration.console.enabled || !configuration.administration.enabled)
    throw new CommandError("The console is turned off. Set console.enabled and administration.enabled.");
  const base = consoleBase(configuration);
  if (base === null)
    throw new CommandError("The port is 0, so only the running server knows it. Set server.port or console.listen.");
  console.log(consoleLink(base, alias, await issueConsoleTicket(await serving("random"))));
  console.error("The link can be used once, for 5 minutes.");
}
