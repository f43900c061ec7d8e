#!/usr/bin/env node
import { runCommand } from "./command/run-command.ts";

process.exitCode = await runCommand(process.argv.slice(2), process);
// What an adapter has left open must not keep the command from ending.
process.stdout.write("", () => process.exit());
