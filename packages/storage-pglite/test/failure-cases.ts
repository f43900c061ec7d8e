import { type DriverCase, errorFields } from "./driver-case.ts";

/** Each statement fails. The tables are those of `schema`. */
const failures: readonly (readonly [code: string, sql: string])[] = [
  ["23505", "insert into parents (id, name) values (1, 'again')"],
  ["23505", "insert into parents (id, name) values (7, 'first')"],
  ["23503", "insert into children (parent_id) values (999)"],
  ["23503", "delete from parents where id = 1"],
  ["23502", "insert into parents (id, name) values (8, null)"],
  ["23514", "insert into parents (id, name, age) values (8, 'x', -1)"],
  ["42P01", "select * from no_such_table"],
  ["42703", "select no_such_column from parents"],
  ["42883", "select no_such_function(1)"],
  ["42601", "selec 1"],
  ["42P07", "create table parents (id int)"],
  ["42804", "select 1 union select true"],
  ["22P02", "select 'abc'::int"],
  ["22P02", "select '{\"a\":}'::jsonb"],
  ["22003", "select 2147483647 + 1"],
  ["22001", "select 'too long'::varchar(3) from (insert into narrow values ('too long') returning 1) x"],
  ["22012", "select 1 / 0"],
  ["22007", "select 'tomorrowish'::timestamptz"],
  ["22021", "select convert_from('\\xff'::bytea, 'UTF8')"],
  ["21000", "select (select generate_series(1, 2))"],
  ["2201B", "select 'a' ~ '('"],
  ["26000", "execute nothing_prepared"],
  ["3D000", "alter database no_such_database set jit = off"],
  ["3F000", "create table no_such_schema.t (a int)"],
  ["25001", "begin; vacuum"],
  [
    "40001",
    "do $$ begin raise exception 'conflict' using errcode = '40001', detail = 'd', hint = 'h', table = 't'; end $$",
  ],
  [
    "54001",
    "create function pg_temp.deep(i int) returns int language plpgsql as 'begin return pg_temp.deep(i + 1); end'; select pg_temp.deep(1)",
  ],
  ["57014", "copy narrow from stdin"],
];

export const failureCases: DriverCase[] = failures.map(([code, sql], index) => [
  `failure ${index}: ${code}`,
  async (knex) => {
    const error = await knex.raw(sql).then(() => undefined, errorFields);
    await knex.raw("rollback");
    // The text contains the depth of the stack.
    const where = code === "54001" ? { ...error, where: "" } : error;
    return [where, (await knex.raw("select 'goes on' as then")).rows];
  },
]);
