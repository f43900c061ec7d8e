declare module "knex/lib/dialects/postgres/index.js" {
  import type knexPkg from "knex";

  /** The parts of Knex's PostgreSQL client that are overridden. Knex exports it without types. */
  export default class PostgresClient extends knexPkg.Client {
    canCancelQuery: boolean;
    _driver(): unknown;
  }
}
