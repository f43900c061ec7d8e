export { createMariadbKnex, type MariadbKnex, type MariadbSettings } from "./dialects/mariadb/create-mariadb-knex.ts";
export { MariadbStorage, type MariadbStorageOptions } from "./dialects/mariadb/mariadb-storage.ts";
export {
  createPostgresKnex,
  type PostgresKnex,
  type PostgresSettings,
} from "./dialects/postgres/create-postgres-knex.ts";
export { KnexStorage, type KnexStorageOptions } from "./dialects/postgres/postgres-storage.ts";
