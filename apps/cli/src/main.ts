#!/usr/bin/env node
import { CommanderError } from "commander";
import { report } from "./failures.ts";
import { mainCommand } from "./main-command.ts";

try {
  await mainCommand().parseAsync();
} catch (error) {
  // Commander has printed the reason, or the help.
  if (error instanceof CommanderError) {
    const isAnswer = error.code === "commander.helpDisplayed" || error.code === "commander.version";
    process.exitCode = isAnswer ? 0 : 2;
  } else {
    report(error);
  }
}
