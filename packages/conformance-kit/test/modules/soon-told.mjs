import { runCommand } from "../../dist/command/run-command.js";

// The command, but for the time after which a silent event loop is told.
process.exitCode = await runCommand(process.argv.slice(2), process, 900);
