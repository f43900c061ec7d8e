import type { Tables } from "../tables.ts";

/** The storage's clock in SQL: the start of the statement plus the parameter of this number (milliseconds). */
export function storageTime(parameter: number): string {
  return `(statement_timestamp() + $${parameter}::float8 * interval '1 millisecond')`;
}

/** A time as whole milliseconds since 1970. */
export function epochMilliseconds(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::bigint`;
}

/** Rows per count, so that writers on different connections do not block one another. */
export const countShards = 64;

/** The count row of this connection. */
export const ownShard = `pg_backend_pid() % ${countShards}`;

/**
 * The key of the model's advisory lock. Writers of objects share it and model changes hold it exclusively, so that
 * writes fit the model under which they commit.
 */
export function modelLock({ schema }: Tables): string {
  return `hashtextextended('sallyport:${schema}:model', 0)`;
}
