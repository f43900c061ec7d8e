import { issueConsoleTicket, issueSetUpTicket } from "@sallyport/core";
import { components } from "../composition/components.ts";
import { consoleBase, consoleLink } from "../composition/public-address.ts";
import { isLoopbackHost } from "../configuration/index.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { ServerCommand } from "../command-line/server-command.ts";
import { nameOf, type OpenedDatabase } from "../command-line/with-database.ts";

/** `console-link`. The link goes to standard output, so that a script can open it. */
export function defineConsoleLink(command: ServerCommand): void {
  command
    .option("--set-up", "create the first administrator of a database without users")
    .addHelpText(
      "after",
      "\nThe link can be used once, for 5 minutes. The console then asks for name and password of an administrator.\nA link for the set-up is valid for an hour, and a new one ends the former.",
    )
    .onDatabase(({ setUp = false }: { readonly setUp?: boolean }) => (setUp ? printSetUpLink : printLink));
}

async function printLink(opened: OpenedDatabase): Promise<void> {
  const base = baseOf(opened);
  const ticket = await issueConsoleTicket(await opened.serving("random"));
  console.log(consoleLink(base, opened.database.alias, ticket));
  console.error("The link can be used once, for 5 minutes.");
}

async function printSetUpLink(opened: OpenedDatabase): Promise<void> {
  const base = baseOf(opened);
  const { database } = opened;
  const { protocol, hostname } = new URL(base);
  if (protocol !== "https:" && !isLoopbackHost(hostname.replace(/^\[|\]$/g, "")))
    throw new CommandError(
      "The set-up needs TLS or loopback. Set server.publicUrl to the https:// address of the server.",
    );
  const ticket = await issueSetUpTicket(await opened.serving("random"));
  if (ticket === null)
    throw new CommandError(
      `The database ${nameOf(database)} has users. Run "sallyport-server console-link" without --set-up.`,
    );
  console.log(consoleLink(base, database.alias, ticket, "set-up"));
  console.error("The link can be used once, for an hour. It replaces the former one.");
}

/** URL of the server that serves the console. */
function baseOf({ container }: OpenedDatabase): string {
  const configuration = container.get(components.configuration);
  if (!configuration.console.enabled || !configuration.administration.enabled)
    throw new CommandError("The console is turned off. Set console.enabled and administration.enabled.");
  const base = consoleBase(configuration);
  if (base === null)
    throw new CommandError("The port is 0, so only the running server knows it. Set server.port or console.listen.");
  return base;
}
