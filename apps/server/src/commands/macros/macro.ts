import type { Command } from "commander";
import { commandGroup } from "../command-group.ts";
import { newMacroCommand } from "./new-macro.ts";
import { runMacroCommand } from "./run-macro.ts";
import { listMacrosCommand } from "./stored/list-macros.ts";
import { macroHistoryCommand } from "./stored/macro-history.ts";
import { putMacroCommand } from "./stored/put-macro.ts";
import { removeMacroCommand } from "./stored/remove-macro.ts";
import { showMacroCommand } from "./stored/show-macro.ts";
import { testMacrosCommand } from "./test-macros.ts";

/** `macro new|run|test`, and `macro put|list|show|history|remove` for those in a database. */
export function macroCommand(): Command {
  return commandGroup("macro", "write, try out and keep macros and hooks")
    .addCommand(newMacroCommand())
    .addCommand(runMacroCommand())
    .addCommand(testMacrosCommand())
    .addCommand(putMacroCommand())
    .addCommand(listMacrosCommand())
    .addCommand(showMacroCommand())
    .addCommand(macroHistoryCommand())
    .addCommand(removeMacroCommand());
}
