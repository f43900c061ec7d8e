import { Command } from "commander";
import { noSuchCommand } from "./no-such-command.ts";

/** A command that only has others below it. */
export function commandGroup(name: string, description: string): Command {
  const group = new Command(name).description(description);
  return group.on("command:*", ([word]: string[]) => {
    throw noSuchCommand(String(word), group);
  });
}
