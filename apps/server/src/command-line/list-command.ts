import { tableLines, terminalStyle } from "@sallyport/client/terminal";
import { ServerCommand } from "./server-command.ts";
import type { OpenedDatabase } from "./with-database.ts";

export interface JsonOptions {
  readonly json?: true;
}

/** Output forms of a list element. */
interface Shown<T> {
  /** For scripts. */
  readonly json: (each: T) => object;
  /** For users, by column heading. */
  readonly columns: Readonly<Record<string, (each: T) => string>>;
}

interface Listed<T> extends Shown<T> {
  /** Plural of the elements, such as `app keys`. */
  readonly plural: string;
  readonly read: (opened: OpenedDatabase) => Promise<readonly T[]>;
}

/** Defines a `list` subcommand. Its output must contain no secrets. */
export function listCommand<T>({ plural, read, ...shown }: Listed<T>): ServerCommand {
  return new ServerCommand("list")
    .description(`list ${plural}`)
    .option("--json", "print JSON")
    .onDatabase((options: JsonOptions) => async (opened) => {
      const all = await read(opened);
      if (all.length === 0 && !options.json) console.error(`There are no ${plural}.`);
      else printList(all, shown, options);
    });
}

/** Prints a list as JSON or as a table. */
export function printList<T>(all: readonly T[], { json, columns }: Shown<T>, options: JsonOptions): void {
  if (options.json) {
    printJson(all.map(json));
    return;
  }
  const rows = all.map((each) => Object.values(columns).map((column) => column(each)));
  const [heading, ...lines] = tableLines(Object.keys(columns), rows);
  console.log([terminalStyle(process.stdout).strong(heading as string), ...lines].join("\n"));
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}
