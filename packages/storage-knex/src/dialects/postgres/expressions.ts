import type { Tables } from "./tables.ts";

/** The storage's clock in SQL: the start of the statement plus the parameter of this number (milliseconds). */
export function storageTime(parameter: number): string {
  return `(statement_timestamp() + $${parameter}::float8 * interval '1 millisecond')`;
}

/**
 * Hides a value from the planner. Otherwise it expects a better custom plan for each value, such as few ids or a small
 * limit, and replans every call, which doubles its time.
 */
export function unseen(value: string): string {
  return `(select ${value})`;
}

/** The elements of an array in a parameter, hidden from the planner likewise. */
export function unseenArray(parameter: string): string {
  return `array(select unnest(${parameter}))`;
}

/** A time as whole milliseconds since 1970. */
export function epochMilliseconds(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::bigint`;
}

/** The same of a column that has whole milliseconds, without decimal arithmetic, which takes as long as all the rest of a row. */
export function fastMilliseconds(time: string): string {
  return `(date_part('epoch', ${time}) * 1000)::bigint`;
}

/**
 * Whether the role can read the history of timelines: the operator made the function for it, or the role can read all
 * files of the server. `name` is the expression of the function's qualified name.
 */
export function canReadHistory(name: string): string {
  return `(to_regprocedure(${name}) is not null or has_function_privilege('pg_read_file(text, bigint, bigint, boolean)', 'EXECUTE'))`;
}

/**
 * Whether all standbys of a list, by default `synchronous_standby_names`, confirm each commit. `ANY 1 (one, other)` and `*`
 * do not tell which one has.
 */
export function confirmedByAll(list = "current_setting('synchronous_standby_names')"): string {
  return `(select names !~ '^$|[*]'
      and coalesce((regexp_match(names, '^\\s*(?:(?:any|first)\\s+)?(\\d+)\\s*\\(', 'i'))[1]::int, 1) > length(names) - length(replace(names, ',', ''))
    from (select regexp_replace(${list}, '"[^"*]*"', 'name', 'g') as names) s)`;
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

/** True for every record. The indexes of a kind by expiry and by birth serve only statements with this condition. */
export const isIndexedRecord = "born > 0";
