#!/usr/bin/env node
import { runCommand } from "./create-adapter.ts";

process.exitCode = await runCommand(process.argv.slice(2), process);
