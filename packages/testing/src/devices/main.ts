#!/usr/bin/env node
import { stopSignal } from "../run/command-line.ts";
import { runCommand } from "./command.ts";

process.exitCode = await runCommand(process.argv.slice(2), process, stopSignal());
// Idle connections must not keep the process alive.
process.stdout.write("", () => process.exit());
