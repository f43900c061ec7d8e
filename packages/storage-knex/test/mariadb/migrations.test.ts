import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtInClasses } from "@sallyport/core";
import type { RowDataPacket } from "mysql2";
import { migrations } from "../../src/dialects/mariadb/migrations/migrations.ts";
import { Migrator } from "../../src/dialects/mariadb/migrations/migrator.ts";
import { tablesOf } from "../../src/dialects/mariadb/tables.ts";
import { codeOf } from "../sample.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

describe("migrations on MariaDB", () => {
  let server: TestMariadb;

  beforeAll(async () => {
    server = await openTestMariadb();
  });
  afterAll(() => server.close());

  const names = migrations.map(({ name }) => name);

  async function structureOf(database: string): Promise<unknown[]> {
    const [rows] = await server.admin.query<RowDataPacket[]>(
      `select table_name, column_name, column_type, column_default, is_nullable, collation_name from information_schema.columns
      where table_schema = ? order by table_name, ordinal_position`,
      [database],
    );
    return rows;
  }

  const schemas = join(import.meta.dirname, "../schemas");
  test.each(readdirSync(schemas).filter((name) => name.endsWith(".mariadb.sql")))(
    "upgrade the schema of %s to the current one",
    async (name) => {
      const [former, present] = [server.freshName(), server.freshName()];
      await server.admin.query(readFileSync(join(schemas, name), "utf8").replaceAll("`sallyport`", `\`${former}\``));
      for (const database of [former, present]) await (await server.storage({ database })).migrate();
      await (await server.storage({ database: former })).health();
      expect(await structureOf(former)).toEqual(await structureOf(present));
    },
    60_000,
  );

  test("continue after an interruption at any statement", async () => {
    const whole = server.freshName();
    await (await server.storage({ database: whole })).migrate();
    const database = server.freshName();
    const { knex } = await server.connect();
    const statements = migrations.flatMap((migration) => migration.statements(tablesOf(database), builtInClasses));
    for (let done = 1; done < statements.length; done += 7) {
      let left = done;
      const broken = migrations.map((migration) => ({
        ...migration,
        statements: (...parts: Parameters<typeof migration.statements>) =>
          migration.statements(...parts).map((text) => (left-- > 0 ? text : "signal sqlstate 'SP713'")),
      }));
      expect(await codeOf(new Migrator(knex, tablesOf(database), broken).migrate())).toBe(713);
      expect(left).toBeLessThan(0);
      const storage = await server.storage({ database });
      await storage.migrate();
      await storage.health();
      expect(await structureOf(database)).toEqual(await structureOf(whole));
      await server.admin.query(`drop database ${database}`);
    }
  }, 120_000);

  test("run once across concurrent migrators", async () => {
    const database = server.freshName();
    const engines = await Promise.all([1, 2, 3].map(() => server.connect({ pool: { max: 1 } })));
    const reports = await Promise.all(
      engines.map(async ({ knex }) => (await server.storage({ database, knex })).migrate()),
    );
    expect(reports.flatMap(({ applied }) => applied)).toEqual(names);
  }, 60_000);

  test("create procedures that work in a database with another name, such as a restored backup", async () => {
    const database = server.freshName();
    await (await server.storage({ database })).migrate();
    const [procedures] = await server.admin.query<RowDataPacket[]>(
      "select routine_name as name, routine_definition as definition from information_schema.routines where routine_schema = ?",
      [database],
    );
    expect(procedures.length).toBeGreaterThan(0);
    for (const { name, definition } of procedures)
      expect({ name, definition }).toEqual({ name, definition: expect.not.stringContaining(database) });
  }, 60_000);

  test("use an exact collation in an existing database", async () => {
    const database = server.freshName();
    await server.admin.query(`create database ${database} character set latin1 collate latin1_german2_ci`);
    const { records } = (
      await (async () => {
        const storage = await server.storage({ database });
        await storage.migrate();
        return storage;
      })()
    ).repositories;
    const alike = ["a", "A", "a ", "á", "\u{1F600}"];
    for (const id of alike) expect(await records.put("sample", id, id, { ifVersion: "none" })).toBe("stored");
    expect((await records.get("sample", alike)).map(({ id }) => id).toSorted()).toEqual(alike.toSorted());
    const listed = await records.list("sample", { after: null, limit: 10 });
    expect(listed.map(({ id }) => id)).toEqual(["A", "a", "a ", "á", "\u{1F600}"]);
  }, 60_000);

  test("of a newer version are refused by new storages and tolerated by running ones", async () => {
    const database = server.freshName();
    const storage = await server.storage({ database });
    expect(await codeOf(storage.health())).toBe(705);
    await storage.migrate();
    await storage.health();
    await server.admin.query(`insert into ${database}.migrations (name) values ('9999-later')`);
    await storage.health();
    expect(await codeOf((await server.storage({ database })).health())).toBe(705);
    expect(await codeOf(storage.migrate())).toBe(705);
  }, 60_000);

  test("reinstall procedures with a higher number and keep the others", async () => {
    const database = server.freshName();
    const { knex } = await server.connect();
    const migrated = (number: number, greeting: string) =>
      new Migrator(knex, tablesOf(database), [
        ...migrations,
        {
          name: "greet",
          number,
          statements: () => [`create or replace procedure ${database}.greet () select '${greeting}' as text`],
        },
      ]).migrate();
    const greeted = async () => {
      const [[rows]] = await server.admin.query<RowDataPacket[][]>(`call ${database}.greet()`);
      return rows;
    };
    expect(await migrated(1, "one")).toEqual({ applied: [...names, "greet"] });
    expect(await migrated(1, "another")).toEqual({ applied: [] });
    expect(await greeted()).toEqual([{ text: "one" }]);
    expect(await migrated(3, "three")).toEqual({ applied: ["greet"] });
    expect(await codeOf(migrated(2, "two"))).toBe(705);
    expect(await greeted()).toEqual([{ text: "three" }]);
  }, 60_000);

  test("are missing if a procedure has a lower number", async () => {
    const database = server.freshName();
    const storage = await server.storage({ database });
    await storage.migrate();
    await server.admin.query(`update ${database}.migrations set number = 0 where name = 'throttle'`);
    expect(await codeOf(storage.health())).toBe(705);
    expect(await storage.migrate()).toEqual({ applied: ["throttle"] });
    await storage.health();
  }, 60_000);
});
