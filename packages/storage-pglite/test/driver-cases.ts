import type { Knex } from "knex";
import pg from "pg";

/** One behaviour, as the test's title names it; what it gives must be the same on every engine. */
export type DriverCase = readonly [title: string, run: (knex: Knex) => Promise<unknown>];

interface DriverConnection {
  query(config: pg.QueryConfig & { rows?: number }): Promise<pg.QueryResult>;
  on(event: "notice", listener: (notice: { message: string; severity: string }) => void): void;
  removeAllListeners(event: "notice"): void;
}

async function onConnection<T>(knex: Knex, work: (connection: DriverConnection) => Promise<T>): Promise<T> {
  const client = knex.client as {
    acquireConnection(): Promise<DriverConnection>;
    releaseConnection(connection: DriverConnection): Promise<void>;
  };
  const connection = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

/** What of an error callers may rely on. */
export function errorFields(error: unknown): Record<string, unknown> {
  const names = ["name", "code", "severity", "message", "detail", "hint", "position", "where"] as const;
  const places = ["schema", "table", "column", "dataType", "constraint"] as const;
  const fields = error as Record<string, unknown>;
  const kind = error instanceof pg.DatabaseError ? "DatabaseError" : (error as Error).constructor.name;
  return { kind, ...Object.fromEntries([...names, ...places].map((name) => [name, fields[name]])) };
}

const values: readonly (readonly [type: string, value: unknown])[] = [
  ["int2", -32768],
  ["int4", 2147483647],
  ["int8", "9223372036854775807"],
  ["int8", 42],
  ["numeric", "123456789012345678901234567890.1234567890"],
  ["float8", 0.1],
  ["float8", Number.NaN],
  ["float8", Number.NEGATIVE_INFINITY],
  ["float4", 1.5],
  ["bool", true],
  ["bool", false],
  ["text", ""],
  ["text", "Grüße, 世界 👩‍👩‍👧 'quoted' \\ \" $1 ? \n\t"],
  ["varchar(5)", "truncated"],
  ["char(5)", "ab"],
  ["bytea", Buffer.from([0, 1, 127, 128, 255])],
  ["bytea", Buffer.alloc(0)],
  ["uuid", "0190163d-8694-739b-aea5-966c26f8ad91"],
  ["jsonb", JSON.stringify({ b: [1, 2.5, null, true], a: { ü: "é" } })],
  ["jsonb", "null"],
  ["json", '{"b":1, "a":  2}'],
  ["timestamptz", new Date("2026-02-28T23:59:59.123Z")],
  ["timestamptz", "2026-02-28 23:59:59.123456+05:30"],
  ["timestamptz", "infinity"],
  ["timestamp", "2026-02-28 23:59:59.5"],
  ["date", "2026-02-28"],
  ["time", "23:59:59.999999"],
  ["interval", "1 year 2 months 3 days 04:05:06.789"],
  ["inet", "192.168.0.1/24"],
  ["point", "(1.5,-2)"],
  ["int4range", "[1,10)"],
  ["int8[]", ["1", null, "9223372036854775807"]],
  ["text[]", ['a"b', "c,d", "", null, "NULL", "{}"]],
  ["text[]", []],
  ["uuid[]", ["0190163d-8694-739b-aea5-966c26f8ad91"]],
  ["jsonb[]", ['{"a":1}', "[]"]],
  ["timestamptz[]", ["2026-01-01T00:00:00Z"]],
  [
    "int4[][]",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["text", null],
];

const typeCases: DriverCase[] = values.map(([type, value], index) => [
  `type ${index}: ${type}`,
  async (knex) => {
    const { rows, fields } = await knex.raw(`select ?::${type} as value`, [value as Knex.RawBinding]);
    return [
      rows,
      fields.map(({ name, dataTypeID, dataTypeSize, dataTypeModifier, format }: pg.FieldDef) => ({
        name,
        dataTypeID,
        dataTypeSize,
        dataTypeModifier,
        format,
      })),
    ];
  },
]);

/** Each fails; the tables are those of `schema`. */
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

const failureCases: DriverCase[] = failures.map(([code, sql], index) => [
  `failure ${index}: ${code}`,
  async (knex) => {
    const error = await knex.raw(sql).then(() => undefined, errorFields);
    await knex.raw("rollback");
    // The text tells how deep the stack went.
    const where = code === "54001" ? { ...error, where: "" } : error;
    return [where, (await knex.raw("select 'goes on' as then")).rows];
  },
]);

const cases: DriverCase[] = [
  [
    "insert returning",
    (knex) =>
      knex("items")
        .insert([{ label: "a" }, { label: "b" }])
        .returning(["id", "label"]),
  ],
  ["insert without returning", async (knex) => summary(await knex("items").insert({ label: "c" }))],
  ["update returns its count", (knex) => knex("items").where("id", "<", 3).update({ label: "z" })],
  ["del returns its count", (knex) => knex("items").where("id", 1).del()],
  [
    "first, pluck and count",
    async (knex) => [
      await knex("items").first("label").orderBy("id"),
      await knex("items").orderBy("id").pluck("label"),
      await knex("items").count(),
    ],
  ],
  [
    "upsert",
    (knex) => knex("parents").insert({ id: 1, name: "merged" }).onConflict("id").merge(["name"]).returning("*"),
  ],
  [
    "several statements in one text",
    async (knex) => {
      const results = (await knex.raw(
        "select 1 as a; insert into items (label) values ('m'); select 2 as b",
      )) as unknown as pg.QueryResult[];
      return results.map(summary);
    },
  ],
  [
    "an error among several statements undoes all",
    async (knex) => {
      const error = await knex
        .raw("insert into items (label) values ('undone'); select 1 / 0")
        .then(() => undefined, errorFields);
      return [error, await knex("items").where("label", "undone").count()];
    },
  ],
  ["an empty text", (knex) => onConnection(knex, async (connection) => summary(await connection.query({ text: "" })))],
  [
    "commit and rollback",
    async (knex) => {
      await knex.transaction((trx) => trx("items").insert({ label: "kept" }));
      await knex
        .transaction(async (trx) => {
          await trx("items").insert({ label: "dropped" });
          throw new Error("stop");
        })
        .catch((error: Error) => error.message);
      return knex("items").whereIn("label", ["kept", "dropped"]).pluck("label");
    },
  ],
  [
    "a failed statement fails its transaction",
    (knex) =>
      knex
        .transaction(async (trx) => {
          const first = await trx.raw("select 1 / 0").then(() => undefined, errorFields);
          const second = await trx.raw("select 1").then(() => undefined, errorFields);
          await trx.rollback();
          return [first, second];
        })
        .catch((error: Error) => error.message),
  ],
  [
    "commit of a failed transaction",
    (knex) =>
      onConnection(knex, async (connection) => {
        await connection.query({ text: "begin" });
        await connection.query({ text: "select 1 / 0" }).catch(() => undefined);
        return summary(await connection.query({ text: "commit" }));
      }),
  ],
  [
    "savepoints",
    async (knex) => {
      await knex.transaction(async (trx) => {
        await trx("items").insert({ label: "outer" });
        await trx
          .transaction(async (inner) => {
            await inner("items").insert({ label: "inner" });
            await inner.raw("select 1 / 0");
          })
          .catch(() => undefined);
        await trx("items").insert({ label: "after" });
      });
      return knex("items").whereIn("label", ["outer", "inner", "after"]).orderBy("id").pluck("label");
    },
  ],
  [
    "isolation levels",
    (knex) =>
      knex.transaction(async (trx) => (await trx.raw("show transaction_isolation")).rows, {
        isolationLevel: "serializable",
      }),
  ],
  [
    "constraints checked at commit",
    (knex) =>
      knex
        .transaction(async (trx) => {
          await trx.raw("set constraints all deferred");
          await trx("children").insert({ parent_id: 998 });
        })
        .catch(errorFields),
  ],
  [
    "select for update, skip locked, in a transaction",
    (knex) => knex.transaction((trx) => trx("parents").where("id", 1).forUpdate().skipLocked()),
  ],
  [
    "a named statement twice",
    (knex) =>
      onConnection(knex, async (connection) => {
        const config = { name: "twice", text: "select $1::int + 1 as sum" };
        return [
          summary(await connection.query({ ...config, values: [1] })),
          summary(await connection.query({ ...config, values: [2] })),
        ];
      }),
  ],
  [
    "a named statement that fails, then succeeds",
    (knex) =>
      onConnection(knex, async (connection) => {
        const config = { name: "fails", text: "select 10 / $1::int as ratio" };
        const first = await connection.query({ ...config, values: [0] }).catch(errorFields);
        return [first, summary(await connection.query({ ...config, values: [5] }))];
      }),
  ],
  [
    "a named statement that cannot be prepared",
    (knex) =>
      onConnection(knex, async (connection) => {
        const config = { name: "wrong", text: "select no_such_column from parents" };
        return [await connection.query(config).catch(errorFields), await connection.query(config).catch(errorFields)];
      }),
  ],
  [
    "a named statement of a changed table",
    (knex) =>
      onConnection(knex, async (connection) => {
        await connection.query({ text: "create table shifting (a int); insert into shifting values (1)" });
        const config = { name: "shifting", text: "select * from shifting" };
        const before = summary(await connection.query(config));
        await connection.query({ text: "alter table shifting add b int default 2" });
        return [before, await connection.query(config).catch(errorFields)];
      }),
  ],
  [
    "rows in portions",
    (knex) =>
      onConnection(knex, async (connection) =>
        summary(await connection.query({ text: "select generate_series(1, 25) as n", rows: 10 })),
      ),
  ],
  [
    "a cursor",
    (knex) =>
      knex.transaction(async (trx) => {
        await trx.raw("declare portion cursor for select generate_series(1, 5) as n");
        return [(await trx.raw("fetch 2 from portion")).rows, (await trx.raw("fetch all from portion")).rows];
      }),
  ],
  [
    "queries queued on one connection, one of them failing",
    (knex) =>
      onConnection(knex, (connection) =>
        Promise.all(
          [1, 0, 2].map((n) =>
            connection.query({ text: "select 2 / $1::int as ratio", values: [n] }).then(summary, errorFields),
          ),
        ),
      ),
  ],
  [
    "notices",
    (knex) =>
      onConnection(knex, async (connection) => {
        const seen: string[] = [];
        connection.on("notice", ({ severity, message }) => seen.push(`${severity} ${message}`));
        await connection.query({ text: "do $$ begin raise notice 'heard'; raise warning 'and warned'; end $$" });
        connection.removeAllListeners("notice");
        return seen;
      }),
  ],
  [
    "a parameter of 1 MB",
    async (knex) =>
      (await knex.raw("select length(?) as length, md5(?) as digest", ["ä".repeat(500_000), "ä".repeat(500_000)])).rows,
  ],
  [
    "a result of 5 MB",
    async (knex) => {
      const { rows } = await knex.raw("select n, repeat(md5(n::text), 160) as text from generate_series(1, 1000) n");
      return [rows.length, rows[0], rows[999]];
    },
  ],
  ["one value of 5 MB", async (knex) => (await knex.raw("select repeat('0123456789', 500000) as text")).rows],
  ["50,000 rows", async (knex) => (await knex.raw("select n from generate_series(1, 50000) n")).rows.at(-1)],
  [
    "30,000 parameters",
    async (knex) =>
      (
        await knex.raw(
          `select count(*) from (values ${"(?::int),".repeat(29_999)}(?)) t`,
          Array.from({ length: 30_000 }, (_, n) => n),
        )
      ).rows,
  ],
  [
    "JSON nested 3,000 deep",
    async (knex) => (await knex.raw("select (?::jsonb)::text as value", ["[".repeat(3_000) + "]".repeat(3_000)])).rows,
  ],
  [
    "JSON nested too deep",
    (knex) =>
      knex.raw("select ?::jsonb as value", ["[".repeat(200_000) + "]".repeat(200_000)]).catch(({ code }) => code),
  ],
  [
    "a condition of 1,000 alternatives",
    async (knex) =>
      await knex("parents")
        .where((where) => {
          for (let id = 0; id < 1_000; id += 1) void where.orWhere({ id });
        })
        .count(),
  ],
  [
    "advisory locks",
    (knex) =>
      knex.transaction(
        async (trx) => (await trx.raw("select pg_advisory_xact_lock(1), pg_try_advisory_xact_lock(1) as again")).rows,
      ),
  ],
  ["listen and notify are accepted", async (knex) => summary(await knex.raw("notify somebody, 'something'"))],
  [
    "schema building",
    async (knex) => {
      await knex.schema.createTable("built", (table) => {
        table.increments();
        table.jsonb("data").defaultTo("{}");
        table.timestamps(true, true);
        table.index(["data"], undefined, "gin");
      });
      return [
        await knex.schema.hasTable("built"),
        await knex.schema.hasColumn("built", "data"),
        Object.keys(await knex("built").columnInfo()),
      ];
    },
  ],
  [
    "a query that is no query",
    (knex) => knex.raw("select ?::int", ["not a number"]).then(() => undefined, errorFields),
  ],
];

function summary(result: pg.QueryResult): unknown {
  return {
    command: result.command,
    rowCount: result.rowCount,
    rows: result.rows,
    fields: result.fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
  };
}

/** The tables the cases use. */
export const schema = `
  create table parents (id int primary key, name text not null unique, age int check (age >= 0));
  create table children (id serial primary key, parent_id int not null references parents deferrable);
  create table items (id bigserial primary key, label text not null, made_at timestamptz not null default now());
  create table narrow (a varchar(3));
  insert into parents values (1, 'first', 30), (2, 'second', null);
  insert into children (parent_id) values (1);
`;

export const driverCases: readonly DriverCase[] = [...typeCases, ...failureCases, ...cases];
