import type { RowDataPacket } from "mysql2";
import { until } from "@sallyport/test-kit/jest/until";
import { type Connection, readOn, runOn, withConnection } from "../../src/dialects/mariadb/connection.ts";
import type { MariadbKnex, MariadbStorage } from "../../src/index.ts";
import { cancellableReads, client, outcomeOf } from "../cancellable-reads.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

describe("reads on MariaDB that no client waits for", () => {
  let server: TestMariadb;
  let database: string;
  let engine: MariadbKnex;
  let storage: MariadbStorage;

  beforeAll(async () => {
    server = await openTestMariadb();
    database = server.freshName();
    engine = await server.connect({ pool: { max: 1 } });
    storage = await server.storage({ database, knex: engine.knex });
    await storage.migrate();
  }, 60_000);
  afterAll(() => server.close());

  async function untilWaiting(): Promise<void> {
    const waiting =
      "select 1 from information_schema.processlist where state = 'Waiting for table metadata lock' and info like ?";
    const look = () => server.admin.query<RowDataPacket[]>(waiting, [`%${database}%`]);
    await until(async () => (await look())[0].length > 0);
  }

  test.each(cancellableReads)("are cancelled: %s", async (_name, read) => {
    await server.admin.query(`lock tables ${database}.objects write, ${database}.tombstones write`);
    const reader = client();
    const outcome = outcomeOf(read(storage.repositories, reader.onCancel));
    await untilWaiting();
    reader.leave();
    expect(await outcome).toBe(706);
    expect(reader.subscribed).toBe(0);
    await server.admin.query("unlock tables");
    expect(await outcomeOf(read(storage.repositories, client().onCancel))).toBe("read");
  });

  test("a cancellation that comes late hits nothing", async () => {
    await withConnection(engine.knex, async (connection) => {
      const { threadId } = connection;
      for (let round = 0; round < 10; round += 1) {
        await readOn(connection, { sql: "select 1", values: [], plain: true }, () => () => {});
        await connection.cancelRead?.();
        await runOn(connection, { sql: "select benchmark(20000, md5('a'))", values: [], plain: true });
      }
      expect(connection).toMatchObject({ threadId });
      expect(connection.__knex__disposed).toBeUndefined();
    });
  });

  test("a cancellation hits no statement but its read", async () => {
    await withConnection(engine.knex, async (connection) => {
      await readOn(connection, { sql: "select 1", values: [], plain: true }, () => () => {});
      const sleeping = runOn<{ slept: number }>(connection, {
        sql: "select sleep(1) as slept",
        values: [],
        plain: true,
      });
      await connection.cancelRead?.();
      // The function returns 1 if it is interrupted.
      expect((await sleeping).rows).toEqual([{ slept: 0 }]);
    });
  });

  test("a connection whose cancellation fails is given up", async () => {
    const account = `reader_${database.slice(-12)}`;
    // There is no other connection to cancel by.
    await server.admin.query(`create user '${account}'@'%' identified by 'pw' with max_user_connections 1`);
    const url = Object.assign(new URL(server.url), { username: account, password: "pw" }).href;
    const { knex, close } = await server.connect({ url, pool: { max: 1 } });
    let held: Connection | undefined;
    await withConnection(knex, async (connection) => {
      held = connection;
      await readOn(connection, { sql: "select 1", values: [], plain: true }, () => () => {});
      await connection.cancelRead?.();
    });
    expect(held?.__knex__disposed).toMatchObject({ errno: 1226 });
    await close();
    await server.admin.query(`drop user '${account}'@'%'`);
  });
});
