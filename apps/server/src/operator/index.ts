import { inProcessFetch } from "./in-process-fetch.ts";
import { chosen, loadWithDemoNote, reachable, withExisting } from "../command-line/with-database.ts";
import { describeError } from "../command-line/report-failure.ts";
import { components } from "../composition/components.ts";
import type { Configuration, DatabaseConfiguration } from "../configuration/index.ts";

/** The databases of a configuration that the operator selects. */
export interface OperatorSelection {
  /** The configuration file. Default: as for commands of the server. */
  readonly config?: string | undefined;
  /** Default: the empty alias, or the only database. */
  readonly alias?: string | undefined;
  /** Selects all databases that this process can reach. */
  readonly all?: boolean | undefined;
}

/** Reaches the administration routes of one database as the operator. */
export interface OperatorConnection {
  /** URL of the service, without the alias. */
  readonly baseUrl: string;
  /** Sends requests inside this process. They need neither app key nor session. */
  readonly fetch: typeof fetch;
}

/** A selected database. */
export interface OperatorDatabase {
  readonly alias: string;
  /** Opens the database during `work`. Throws an error with a message for the operator if that fails, and what `work` throws. */
  use<T>(work: (connection: OperatorConnection) => Promise<T>): Promise<T>;
}

/** Selects databases. Throws an error with a message for the operator. */
export function operatorDatabases({ config, alias, all = false }: OperatorSelection): readonly OperatorDatabase[] {
  try {
    const configuration = loadWithDemoNote(config);
    const selected = all ? reachable(configuration) : [chosen(configuration, alias)];
    return selected.map((each) => ({ alias: each.alias, use: (work) => useDatabase(configuration, each, work) }));
  } catch (error) {
    throw told(error);
  }
}

async function useDatabase<T>(
  configuration: Configuration,
  target: DatabaseConfiguration,
  work: (connection: OperatorConnection) => Promise<T>,
): Promise<T> {
  let isOpen = false;
  try {
    // Details of a refusal are for the operator.
    return await withExisting({ ...configuration, debugMessages: true }, target, async ({ container, database }) => {
      container.onActivation(components.isForOperator, () => true);
      await database.storage.health();
      const application = await container.getAsync(components.application);
      isOpen = true;
      try {
        return await work({
          baseUrl: `http://localhost${configuration.server.basePath}`,
          fetch: inProcessFetch(application),
        });
      } finally {
        // The explanation of a refusal is stored after the response.
        await (await container.getAsync(components.refusalWriter)).stop();
        application.load.drain();
        await (await container.getAsync(components.macroRuntime)).close();
      }
    });
  } catch (error) {
    throw isOpen ? error : told(error);
  }
}

function told(error: unknown): Error {
  return new Error(describeError(error), { cause: error });
}
