#!/usr/bin/env node
import { runCommand } from "./command.ts";

process.exitCode = await runCommand(process.argv.slice(2), process);
// Idle connections must not keep the process alive.
process.stdout.write("", () => process.exit());
