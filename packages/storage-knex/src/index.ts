export { createPostgresKnex, type PostgresKnex, type PostgresSettings } from "./dialects/postgres/create-postgres-knex.ts";
export { KnexStorage, type KnexStorageOptions } from "./knex-storage.ts";
