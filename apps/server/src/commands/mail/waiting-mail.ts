import { Command } from "commander";
import { durationText } from "../../configuration/fields/index.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";

interface WaitingOptions extends AliasOptions {
  readonly json?: true;
}

/** `mail waiting`: how much mail waits, never to whom. */
export function waitingMailCommand(): Command {
  return new Command("waiting")
    .description("show how much mail of a database waits, for how long, and whether anything can be sent at all")
    .option("--json", "print JSON, for scripts")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(async (options: WaitingOptions) => {
      const { count, oldest, stuck } = await withDatabase(options, async ({ database: { storage } }) =>
        storage.repositories.outbox.waiting(),
      );
      if (options.json) {
        console.log(
          JSON.stringify(
            { count, oldestSeconds: Math.floor(oldest / 1_000), stuckSeconds: Math.floor(stuck / 1_000) },
            null,
            2,
          ),
        );
        return;
      }
      console.log(
        count === 0
          ? "No mail waits."
          : `${count === 1 ? "One mail waits" : `${count} mails wait`}, the longest for ${inWords(oldest)}.`,
      );
      if (stuck > 0)
        console.log(`No mail could be sent for ${inWords(stuck)}; the log of the server and "mail test" tell why.`);
    });
}

function inWords(milliseconds: number): string {
  return durationText(Math.max(1_000, Math.floor(milliseconds / 1_000) * 1_000));
}
