/** Runs one or more statements. Returns the rows of a single one. */
export type RunSql = <Row>(text: string) => Promise<readonly Row[]>;

interface CopiedTable {
  readonly name: string;
  /** Without generated ones. */
  readonly columns: string;
}

/**
 * Copies the rows of a schema into a second schema. Returns the statements that restore them, in one transaction. Tables
 * and functions that change later stay as they are.
 */
export async function keepSchema(run: RunSql, schema: string): Promise<string> {
  const copySchema = `${schema}_kept`;
  // Oldest first: a table is newer than the tables that it references.
  const tables = await run<CopiedTable>(`
    select c.relname as name,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attgenerated = '') as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = '${schema}'::regnamespace and c.relkind = 'r'
    group by c.oid, c.relname order by c.oid`);
  const [right] = await run<{ superuser: string }>("select current_setting('is_superuser') as superuser");
  await run(`drop schema if exists ${copySchema} cascade; create schema ${copySchema}`);
  for (const { name } of tables) await run(`create table ${copySchema}.${name} as table ${schema}.${name}`);
  const sequences = await run<{ id: string; name: string }>(
    `select oid::text as id, relname as name from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'S'`,
  );
  const positions: string[] = [];
  for (const { id, name } of sequences) {
    const [at] = await run<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${schema}.${name}`,
    );
    positions.push(`select setval(${id}::oid::regclass, ${at?.value ?? 1}, ${at?.called ?? false})`);
  }
  // Triggers would count the restored rows a second time.
  const triggers = (state: "disable" | "enable") =>
    tables.map(({ name }) => `alter table ${schema}.${name} ${state} trigger user`);
  const replicating = await run<{ table: string; name: string }>(
    `select c.relname as table, t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = '${schema}'::regnamespace and t.tgenabled = 'R'`,
  );
  const [before, after] =
    right?.superuser === "on"
      ? // All stamps are above this floor, so the restored rows keep theirs.
        [["set local session_replication_role = replica", `set local "sallyport.${schema}_floor" = '0'`], []]
      : [
          triggers("disable"),
          [
            ...triggers("enable"),
            ...replicating.map(({ table, name }) => `alter table ${schema}.${table} enable replica trigger ${name}`),
          ],
        ];
  return [
    "begin",
    ...before,
    ...tables.toReversed().map(({ name }) => `delete from ${schema}.${name}`),
    ...tables.map(
      ({ name, columns }) =>
        `insert into ${schema}.${name} (${columns}) overriding system value select ${columns} from ${copySchema}.${name}`,
    ),
    ...positions,
    ...after,
    "commit",
  ].join(";\n");
}
