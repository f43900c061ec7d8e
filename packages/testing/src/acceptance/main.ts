#!/usr/bin/env node
import { stopSignal } from "../run/command-line.ts";
import { runCommand } from "./command/run-command.ts";

process.exitCode = await runCommand(process.argv.slice(2), process, stopSignal());
