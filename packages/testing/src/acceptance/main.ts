#!/usr/bin/env node
import { runCommand } from "./command/run-command.ts";

const stop = new AbortController();
// A second signal ends the process at once.
process.once("SIGINT", () => stop.abort(130)).once("SIGTERM", () => stop.abort(143));

process.exitCode = await runCommand(process.argv.slice(2), process, stop.signal);
