import { SallyportAdmin } from "@sallyport/client/admin";
import type { Command } from "commander";
import { CommandError } from "./failures.ts";

/** A database that a command administers. */
export interface Administered {
  readonly alias: string;
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
}

export interface Connection {
  readonly admin: SallyportAdmin;
  /** Gives a new proof. `null` for the operator, who is never asked for one. */
  readonly prove: (() => Promise<void>) | null;
}

/** Options before the command. */
export interface LocalOptions {
  readonly local?: true;
  readonly config?: string;
  readonly alias?: string;
  readonly all?: true;
}

/** Adds the options of the operator. */
export function withLocal(main: Command): Command {
  return main
    .option("--local", "work as the operator on the databases of the server on this machine, without a log-in")
    .option("-c, --config <file>", "with --local: configuration file of the server (default: as sallyport-server)")
    .option(
      "-a, --alias <alias>",
      "with --local: alias of the database (default: the empty alias, or the only database)",
    )
    .option("--all", "with --local: every database of the configuration, one after another");
}

/** The options, if they fit together. */
export function localOptions(main: Command): LocalOptions {
  const options = main.opts<LocalOptions>();
  const { local, config, alias, all } = options;
  if (!local && (config ?? alias ?? all) !== undefined)
    throw new CommandError("--config, --alias and --all belong to --local. A log-in chooses its database itself.");
  if (all && alias !== undefined) throw new CommandError("Pass either --all or --alias.");
  return options;
}

/** Refuses `--local` for a command about log-ins. */
export function refuseLocal(main: Command): void {
  if (localOptions(main).local) throw new CommandError("The operator needs no log-in. Omit --local.");
}

/** The client sends an app key and a session, and the routes of the operator read neither. */
const unread = "operator";

/** The databases that the operator selects. */
export async function operatedDatabases(selection: Omit<LocalOptions, "local">): Promise<readonly Administered[]> {
  const { operatorDatabases } = await serverOfThisMachine();
  return operatorDatabases(selection).map((database) => ({
    alias: database.alias,
    use: (work) =>
      database.use(({ baseUrl, fetch }) => {
        const admin = new SallyportAdmin({ baseUrl, alias: database.alias, appKey: unread, fetch, timeout: 0 });
        admin.resume(unread);
        return work({ admin, prove: null });
      }),
  }));
}

const notInstalled: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED"]);

/** Loaded on demand: only the operator has the server installed. */
async function serverOfThisMachine() {
  try {
    return await import("@sallyport/server/operator");
  } catch (cause) {
    if (!notInstalled.has((cause as { readonly code?: unknown }).code)) throw cause;
    const message =
      "--local needs the server of the same version beside this command. Run: npm install --global @sallyport/server @sallyport/cli";
    throw new CommandError(message, "local", { cause });
  }
}
