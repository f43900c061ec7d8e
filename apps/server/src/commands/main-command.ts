import { Command } from "commander";
import { version } from "../composition/version.ts";
import { serveCommand } from "./serve.ts";

/** The command line of the server. */
export function mainCommand(): Command {
  return new Command("sallyport-server")
    .description("The controlled gate to a business-object database.")
    .version(version)
    .showHelpAfterError("(--help tells what there is)")
    .addCommand(serveCommand(), { isDefault: true });
}
