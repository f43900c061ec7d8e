import { isDeepStrictEqual } from "node:util";
import type { Contradiction } from "../checks/contradiction.ts";
import type { DatabaseConfiguration, EmbeddedStorage, ServerStorage } from "../configuration.ts";

/** Databases that claim the same alias or the same schema, or that share an engine and disagree about it. */
export function* sharingContradictions(databases: readonly DatabaseConfiguration[]): Generator<Contradiction> {
  for (const [index, database] of databases.entries()) {
    for (const [before, other] of databases.slice(0, index).entries()) {
      const [here, there] = [`databases[${index}]`, `databases[${before}]`];
      if (database.alias === other.alias) {
        yield { path: `${here}.alias`, reason: `is the same as ${there}.alias`, against: [`${there}.alias`] };
      }
      const [own, others] = [database.storage, other.storage];
      if (own === null || others === null || own.engine === "memory" || others.engine === "memory") continue;
      if (own.engine === "module" || others.engine === "module") {
        if (isDeepStrictEqual(own, others))
          yield { path: `${here}.storage.options`, reason: `are those of ${there}, which has the same module` };
        continue;
      }
      if (placeOf(own) !== placeOf(others)) continue;
      if (own.schema === others.schema) {
        yield {
          path: `${here}.storage.schema`,
          reason: `is the schema of ${there}, too ("${own.schema}")`,
          against: [`${here}.alias`, `${there}.alias`, `${there}.storage.schema`],
        };
      }
      if (own.engine === "embedded" && own.statementTimeout !== others.statementTimeout) {
        yield {
          path: `${here}.storage.statementTimeout`,
          reason: `must be that of ${there}, which is in the same directory`,
          against: [`${there}.storage.statementTimeout`],
        };
      }
      if (own.engine === "embedded" || others.engine === "embedded" || own.url !== others.url) continue;
      const pools =
        JSON.stringify([own.pool, own.statementTimeout]) === JSON.stringify([others.pool, others.statementTimeout]);
      if (pools) continue;
      yield {
        path: `${here}.storage.pool`,
        reason: `and statementTimeout must be those of ${there}, which uses the same connections`,
        against: [`${there}.storage.pool`, `${here}.storage.statementTimeout`, `${there}.storage.statementTimeout`],
      };
    }
  }
}

/** What tells two databases on a server, or two directories, apart, however they were spelled. */
function placeOf(storage: ServerStorage | EmbeddedStorage): string {
  if (storage.engine === "embedded") return storage.dataDir;
  if (!URL.canParse(storage.url)) return storage.url;
  const { hostname, port, pathname } = new URL(storage.url);
  // On MariaDB the schema is the database, whatever the connection string names.
  return storage.engine === "mariadb" ? `${hostname}:${port || "3306"}` : `${hostname}:${port || "5432"}${pathname}`;
}
