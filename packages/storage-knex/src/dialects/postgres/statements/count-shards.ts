/** Rows that share one count, so that writers on different connections do not wait for one another. */
export const countShards = 64;

/** The row of the count that this connection changes. */
export const ownShard = `pg_backend_pid() % ${countShards}`;
