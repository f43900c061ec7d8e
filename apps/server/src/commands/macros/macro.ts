import type { Command } from "commander";
import { commandGroup } from "../command-group.ts";
import { newMacroCommand } from "./new-macro.ts";

/** `macro new`. */
export function macroCommand(): Command {
  return commandGroup("macro", "write, try out and keep macros and hooks").addCommand(newMacroCommand());
}
