export { createMariadbKnex, type MariadbKnex, type MariadbSettings } from "./dialects/mariadb/create-mariadb-knex.ts";
export { MariadbStorage, type MariadbStorageOptions } from "./dialects/mariadb/mariadb-storage.ts";
export {
  createPostgresKnex,
  type PostgresKnex,
  type PostgresSettings,
} from "./dialects/postgres/postgres-pool.ts";
export { DatabaseMoved, type MoveNotice } from "./dialects/postgres/move-notice.ts";
export {
  type MoveReport,
  type MoveSettings,
  type MoveStep,
  PostgresMove,
} from "./dialects/postgres/move/postgres-move.ts";
export { MoveRefused } from "./dialects/postgres/move/replication.ts";
export { KnexStorage, type KnexStorageOptions } from "./dialects/postgres/postgres-storage.ts";
export { PostgresReplicas, type ReplicaReads } from "./dialects/postgres/replicas.ts";
export { postgresRecovery, type TimelineEvent, type TimelineOptions } from "./dialects/postgres/timeline.ts";
export { mariadbRecovery } from "./dialects/mariadb/recovery.ts";
export { mariadbFacts } from "./dialects/mariadb/connection.ts";
export { postgresFacts } from "./dialects/postgres/server-facts.ts";
export { postgresOpenWriters } from "./dialects/postgres/stamps.ts";
export type { OpenWriter, ReplicaState, ServerFacts } from "./sql-storage.ts";
