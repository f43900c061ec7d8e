export { createMariadbKnex, type MariadbKnex, type MariadbSettings } from "./dialects/mariadb/create-mariadb-knex.ts";
export { MariadbStorage, type MariadbStorageOptions } from "./dialects/mariadb/mariadb-storage.ts";
export {
  createPostgresKnex,
  type PostgresKnex,
  type PostgresSettings,
} from "./dialects/postgres/create-postgres-knex.ts";
export { KnexStorage, type KnexStorageOptions } from "./dialects/postgres/postgres-storage.ts";
export { mariadbFacts } from "./dialects/mariadb/connection.ts";
export { postgresFacts } from "./dialects/postgres/connection.ts";
export type { ServerFacts } from "./sql-storage.ts";
