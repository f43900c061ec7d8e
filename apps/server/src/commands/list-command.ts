import { Command } from "commander";
import { terminalStyle } from "../demo/index.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "./command-options.ts";
import { tableLines } from "./table-lines.ts";
import { type OpenedDatabase, withDatabase } from "./with-database.ts";

interface Listed<T> {
  /** What is listed, such as `app keys`. */
  readonly plural: string;
  readonly read: (opened: OpenedDatabase) => Promise<readonly T[]>;
  /** What a script gets of each. */
  readonly json: (each: T) => object;
  /** What a person gets of each, by the heading of the column. */
  readonly columns: Readonly<Record<string, (each: T) => string>>;
}

interface ListOptions extends AliasOptions {
  readonly json?: true;
}

/** A subcommand `list`. It shows nothing that opens anything. */
export function listCommand<T>({ plural, read, json, columns }: Listed<T>): Command {
  return new Command("list")
    .description(`list the ${plural} of a database`)
    .option("--json", "print JSON, for scripts")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(async (options: ListOptions) => {
      const all = await withDatabase(options, read);
      if (options.json) {
        console.log(JSON.stringify(all.map(json), null, 2));
        return;
      }
      if (all.length === 0) {
        console.error(`There are no ${plural}.`);
        return;
      }
      const rows = all.map((each) => Object.values(columns).map((column) => column(each)));
      const [heading, ...lines] = tableLines(Object.keys(columns), rows);
      console.log([terminalStyle(process.stdout).strong(heading as string), ...lines].join("\n"));
    });
}
