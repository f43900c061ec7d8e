import type { Command } from "commander";
import { commandGroup } from "../command-group.ts";
import { testMailCommand } from "./test-mail.ts";
import { waitingMailCommand } from "./waiting-mail.ts";

/** `mail test|waiting`. */
export function mailCommand(): Command {
  return commandGroup("mail", "try out how mail is sent, and see what waits")
    .addCommand(testMailCommand())
    .addCommand(waitingMailCommand());
}
