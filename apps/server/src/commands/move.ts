import { sealJson } from "@sallyport/core";
import type { MoveReport, MoveStep, PostgresMove } from "@sallyport/storage-knex";
import { byteText, ProgressLine } from "@sallyport/client/terminal";
import { components } from "../composition/components.ts";
import { faultOfAddress, maskedUrl } from "../configuration/index.ts";
import { atPlace } from "../databases/move-follower.ts";
import { CommandError } from "../command-line/command-error.ts";
import { progressBar } from "../command-line/progress.ts";
import { type AliasOptions, readNamedFile, type ServerCommand } from "../command-line/server-command.ts";
import { chosen, loadWithDemoNote, type OpenedDatabase, withOpened } from "../command-line/with-database.ts";

interface MoveOptions extends AliasOptions {
  readonly to: string;
  readonly from?: string;
  readonly subscriber?: string;
  readonly abandon?: true;
}

/** `move`: moves a database to another Postgres server while servers use it. */
export function defineMove(command: ServerCommand): void {
  command
    .requiredOption("--to <url>", "connection string of the new place for the servers")
    .option("--from <url>", "connection string of the old place for a role that may replicate (default: storage.url)")
    .option("--subscriber <url>", "connection string of the new place for a role that may subscribe (default: --to)")
    .option("--abandon", "remove what a broken-off move has left at both places")
    .withAlias()
    .addHelpText(
      "after",
      `
The new server connects to the old one, which needs wal_level = logical. Running servers follow within a second.
A connection string can be in a file: file:/run/secrets/new-place.
If the command ends early, the old place serves. Run it again: it starts over, or finishes a move that has happened.`,
    )
    .action(move);
}

async function move({ config, alias, ...options }: MoveOptions): Promise<void> {
  const configuration = loadWithDemoNote(config);
  const target = chosen(configuration, alias);
  const { storage } = target;
  if (storage?.engine !== "postgres") throw new CommandError("Only a database on a Postgres server can be moved.");
  const to = urlIn(options.to, "--to");
  const from = options.from === undefined ? storage.url : urlIn(options.from, "--from");
  const subscriber = options.subscriber === undefined ? to : urlIn(options.subscriber, "--subscriber");
  await withOpened(configuration, atPlace(target, storage, to), async (opened) => {
    const wrapping = await opened.container.getAsync(components.keyWrapping);
    if (wrapping === null)
      throw new CommandError(
        "The master key is not set. Servers read the connection string of the new place encrypted with it. Set MASTER_KEY.",
      );
    const { MoveRefused, PostgresMove: Move } = await import("@sallyport/storage-knex");
    const progress = new ProgressLine(process.stderr);
    const interrupted = new AbortController();
    const stop = () => interrupted.abort(new MoveRefused("The move was interrupted. The old place serves."));
    process.once("SIGINT", stop).once("SIGTERM", stop);
    const moving = new Move({
      schema: storage.schema,
      present: storage.url,
      from,
      to,
      subscriber,
      notice: { place: maskedUrl(to), sealedUrl: sealJson(wrapping, { url: to }, "former place") },
      report: (step) => progress.show(() => textOf(step)),
      signal: interrupted.signal,
    });
    try {
      await (options.abandon === true ? abandon(moving) : finish(await moving.run(), opened, maskedUrl(to)));
    } catch (error) {
      const reason: unknown = interrupted.signal.aborted ? interrupted.signal.reason : error;
      throw reason instanceof MoveRefused ? new CommandError(reason.message, { cause: error }) : error;
    } finally {
      progress.clear();
      await moving.close();
    }
  });
}

/** The connection string of an option, or of the file that it names. */
function urlIn(text: string, option: string): string {
  const [, file] = /^file:(.+)$/.exec(text) ?? [];
  const url = file === undefined ? text : readNamedFile(file).toString("utf8").trim();
  if (!/^postgres(ql)?:/.test(url)) throw new CommandError(`${option} must be a connection string of Postgres.`);
  const fault = faultOfAddress(url);
  if (fault !== null) throw new CommandError(`${option} ${fault}.`);
  return url;
}

function textOf(step: MoveStep): string {
  switch (step.step) {
    case "copying":
      return `Copying tables ${progressBar(step.complete, step.tables)}`;
    case "indexing":
      return "Building indexes";
    case "catchingUp":
      return `Catching up, ${byteText(step.behind)} behind`;
    case "switching":
      return "Switching";
  }
}

async function abandon(moving: PostgresMove): Promise<void> {
  await moving.abandon();
  console.log("Removed what a move had left. The old place serves.");
}

async function finish(
  { outcome, oldSchema, interruption }: MoveReport,
  { administration: { unit, eventOf } }: OpenedDatabase,
  place: string,
): Promise<void> {
  if (outcome === "moved") await unit.transaction((r) => r.audit.append(eventOf({ type: "database.moved" })));
  const waited = outcome === "moved" ? ` Writes waited for ${interruption} ms.` : "";
  console.log(`The database is at ${place}.${waited} Running servers follow.`);
  console.error(
    "note: Set storage.url of the database to the new place. Until then, a server that starts needs the notice at the old one.",
  );
  console.error(`note: The former tables are kept at the old place, in the schema ${oldSchema}.`);
}
