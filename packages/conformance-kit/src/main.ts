#!/usr/bin/env node
import { runCommand } from "./command/run-command.ts";

process.exitCode = await runCommand(process.argv.slice(2), process);
// Resources that the adapter leaves open must not keep the process alive.
process.stdout.write("", () => process.exit());
