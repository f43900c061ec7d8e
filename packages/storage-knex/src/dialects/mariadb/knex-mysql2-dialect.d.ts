declare module "knex/lib/dialects/mysql2/index.js" {
  import type knexPkg from "knex";

  /** The parts of Knex's mysql2 client in use. Knex exports it without types. */
  export default class Mysql2Client extends knexPkg.Client {
    _driver(): unknown;
    acquireConnection(): Promise<unknown>;
    destroyRawConnection(connection: unknown): Promise<void>;
  }
}
