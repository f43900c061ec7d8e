import type { MariadbStorage } from "../../src/index.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

const policy = { maxFailures: 1_000, initialDelay: 1_000, maxDelay: 900_000, resetAfter: 3_600_000 };

describe("throttling on MariaDB", () => {
  let server: TestMariadb;
  let database: string;
  let storage: MariadbStorage;
  let offset = 0;

  beforeAll(async () => {
    server = await openTestMariadb();
    database = server.freshName();
    storage = await server.storage({ database, clockOffset: () => offset });
    await storage.migrate();
  });
  afterAll(async () => {
    await storage.close();
    await server.close();
  });

  test("locks only the rows of the counted keys on a failure", async () => {
    const { throttle } = storage.repositories;
    await throttle.fail([{ key: "forgotten", policy: { ...policy, resetAfter: 1_000 } }]);
    await throttle.fail([{ key: "theirs", policy }]);
    offset = 2_000;
    await storage.transaction(async (r) => {
      await r.throttle.fail([{ key: "ours", policy }]);
      // Waiting for the outer transaction fails: the lock timeout is shorter than any test.
      await server.admin.query(
        `set innodb_lock_wait_timeout = 0; update ${database}.throttle set forget_at = now(6) + interval 2 hour where \`key\` = 'theirs'`,
      );
    });
    const [rows] = await server.admin.query(`select \`key\` from ${database}.throttle order by \`key\``);
    expect(rows).toEqual([{ key: "ours" }, { key: "theirs" }]);
  });

  test("handles concurrent failures and passes with any key order without a deadlock", async () => {
    const keys = ["address", "user"].map((key) => ({ key, policy }));
    const given = (index: number) => (index % 2 === 0 ? keys : keys.toReversed());
    await storage.repositories.throttle.fail(keys);
    let runs = 0;
    const work = Array.from({ length: 80 }, (_, index) =>
      storage.transaction(async (r) => {
        runs += 1;
        if (index % 4 < 2) await r.throttle.fail(given(index));
        else await r.throttle.pass(given(index), ["user"]);
      }),
    );
    await Promise.all(work);
    // A deadlock would have rerun the call.
    expect(runs).toBe(80);
  });
});
