import { type Command, Option } from "commander";
import { loadConfiguration } from "../configuration/index.ts";
import { CommandError } from "../command-line/command-error.ts";
import { type AliasOptions, noSuchCommand, type ServerCommand } from "../command-line/server-command.ts";

interface ServeOptions extends Pick<AliasOptions, "config"> {
  readonly workers?: string;
  /** The number of the worker that this process is. */
  readonly worker?: string;
}

/** `serve`: runs the server until a signal stops it. */
export function defineServe(command: ServerCommand): void {
  command
    .option("-w, --workers <number>", "number of processes that serve requests, or auto (default: server.workers)")
    .addOption(new Option("--worker <number>").hideHelp())
    .withConfiguration()
    .addHelpText(
      "after",
      `
Without a configuration, the server starts the demo, in development and on loopback only.

SIGTERM  report not ready, serve requests for DRAIN_DELAY, finish requests in progress, exit
SIGINT   the same without the delay
SIGHUP   reload databases and macros, or replace workers
A second SIGTERM or SIGINT exits at once.`,
    )
    .allowExcessArguments()
    .action(({ config, workers, worker }: ServeOptions, { args: [unknown], parent }: Command) => {
      // This is the default command and also receives unknown words.
      if (unknown !== undefined) throw noSuchCommand(unknown, parent as Command);
      return serve(() => loadConfiguration({ file: config, workers }), worker);
    });
}

/** Loads only what this kind of process needs: a primary process serves no requests itself. */
async function serve(read: () => ReturnType<typeof loadConfiguration>, worker: string | undefined): Promise<void> {
  if (worker !== undefined) {
    if (process.send === undefined) throw new CommandError("Only a server can start its workers. Use --workers.");
    const { serveWorker } = await import("../processes/serve-worker.ts");
    return serveWorker(read, Number(worker));
  }
  const configuration = read();
  if (configuration.server.workers > 1) {
    const { serveWithWorkers } = await import("../processes/serve-with-workers.ts");
    return serveWithWorkers(configuration, read);
  }
  const { serveAlone } = await import("../processes/serve-alone.ts");
  return serveAlone(configuration, read);
}
