import type pg from "pg";
import { type DriverCase, errorFields, onConnection, summary } from "./driver-case.ts";

export const statementCases: DriverCase[] = [
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
    "an error among several statements, which rolls back all",
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
    "a failed statement, which fails its transaction",
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
    "a commit of a failed transaction",
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
    "a query that is not a query",
    (knex) => knex.raw("select ?::int", ["not a number"]).then(() => undefined, errorFields),
  ],
];
