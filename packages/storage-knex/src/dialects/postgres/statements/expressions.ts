import type { Tables } from "../tables.ts";

/** The storage's clock in SQL: the statement's start, moved by the parameter of that number (milliseconds). */
export function storageTime(parameter: number): string {
  return `(statement_timestamp() + $${parameter}::float8 * interval '1 millisecond')`;
}

/** A point in time as whole milliseconds since 1970. */
export function epochMilliseconds(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::bigint`;
}

/** Rows that share one count, so that writers on different connections do not wait for one another. */
export const countShards = 64;

/** The row of the count that this connection changes. */
export const ownShard = `pg_backend_pid() % ${countShards}`;

/**
 * The key of the advisory lock between those who write objects, who share it, and those who change the model, who have it
 * alone: what is written fits the model under which it is committed.
 */
export function modelLock({ schema }: Tables): string {
  return `hashtextextended('sallyport:${schema}:model', 0)`;
}
