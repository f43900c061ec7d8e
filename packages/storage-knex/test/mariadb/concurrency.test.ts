import { beforeAllChanges, objectNumber, type Repositories, seesAll } from "@sallyport/storage";
import type { RowDataPacket } from "mysql2";
import { until } from "@sallyport/test-kit/jest/until";
import { mariadbRecovery, type MariadbStorage } from "../../src/index.ts";
import { channel, digestOf, newSession, openPolicy } from "../sample.ts";
import { processTimeout } from "../test-database.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

describe("the object write lock on MariaDB", () => {
  const file = (name: string) => ({ className: "File", attributes: { Name: name } });

  /** A promise with the function that resolves it. */
  function barrier(): { readonly passed: Promise<void>; readonly pass: () => void } {
    let pass = () => {};
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    return { passed, pass };
  }

  let server: TestMariadb;
  let database: string;
  let one: MariadbStorage;
  let other: MariadbStorage;

  beforeAll(async () => {
    server = await openTestMariadb();
    database = server.freshName();
    one = await server.storage({ database });
    await one.migrate();
    const { knex, close } = await server.connect({ pool: { max: 4 } });
    other = await server.storage({ database, knex, onClose: close });
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await server.close();
  });

  /** Resolves when a caller requests the lock while another transaction holds it. */
  async function waitForLock(): Promise<void> {
    const requesting = [`select%\`${database}\`.\`object_series\` for update`];
    const look = () =>
      server.admin.query<RowDataPacket[]>("select 1 from information_schema.processlist where info like ?", requesting);
    await until(async () => (await look())[0].length > 0);
  }

  /** Takes the lock in a separate transaction and ends it on request. */
  function openTransaction(
    take: (r: Repositories) => Promise<unknown>,
    end: "committed" | "rolled back" = "committed",
  ): { readonly taken: Promise<void>; readonly release: () => void; readonly ended: Promise<unknown> } {
    const [taken, released] = [barrier(), barrier()];
    const ended = one.transaction(async (r) => {
      const result = await take(r);
      taken.pass();
      await released.passed;
      if (end === "rolled back") throw new Error("rolled back");
      return result;
    });
    return { taken: taken.passed, release: released.pass, ended: ended.catch((error: unknown) => error) };
  }

  test("assigns stamps in commit order", async () => {
    const first = openTransaction((r) => r.objects.insert([file("first")]));
    await first.taken;
    const second = other.repositories.objects.insert([file("second")]);
    await waitForLock();
    const { objects: feed } = other.repositories;
    const watermark = await feed.watermark();
    const query = { classes: ["File"], limit: 100 };
    const before = await feed.changes({ ...query, after: beforeAllChanges, upTo: watermark });
    expect(before).toEqual({ changes: [], swept: 0 });
    first.release();
    await first.ended;
    const [created] = await second;
    const upTo = await feed.watermark();
    const { changes } = await feed.changes({ ...query, after: { stamp: watermark, id: null }, upTo });
    expect(changes.map(({ stamp, id }) => [stamp - watermark, id === created?.id])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test("leaves no gap when its transaction is rolled back", async () => {
    const before = await one.repositories.objects.watermark();
    const first = openTransaction((r) => r.objects.insert([file("first")]), "rolled back");
    await first.taken;
    const second = other.repositories.objects.insert([file("second")]);
    await waitForLock();
    first.release();
    await Promise.all([first.ended, second]);
    expect(await one.repositories.objects.watermark()).toBe(before + 1);
  });

  test.each<[string, (r: Repositories, id: string) => Promise<unknown>]>([
    ["locks", (r, id) => r.locks.take(id, "a".repeat(64))],
    ["model changes", async (r) => r.model.change({ put: [] }, (await r.model.load()).generation)],
    ["deletions", (r, id) => r.deletion.lock([id])],
    ["updates of locked objects", (r, id) => r.objects.lock([id])],
  ])("delays %s", async (_what, act) => {
    const [object] = await one.repositories.objects.insert([file("locked")]);
    const id = object?.id ?? "";
    const first = openTransaction((r) =>
      r.objects.update([{ id, attributes: { Name: "new" }, links: {}, expectedVersions: null }], { session: null }),
    );
    await first.taken;
    let done = false;
    const acting = act(other.repositories, id).finally(() => (done = true));
    await waitForLock();
    expect(done).toBe(false);
    first.release();
    await Promise.all([first.ended, acting]);
  });

  test("leaves connections to reads while many writers wait", async () => {
    const { knex, close } = await server.connect({ pool: { max: 4, acquireTimeout: 30_000 } });
    const busy = await server.storage({ database, knex, onClose: close });
    await busy.health();
    const first = openTransaction((r) => r.objects.insert([file("slow")]));
    await first.taken;
    const writers = Array.from({ length: 20 }, (_, number) =>
      number % 2 === 0
        ? busy.repositories.objects.insert([file(`waiting ${number}`)])
        : busy.transaction((r) => r.objects.insert([file(`waiting ${number}`)])),
    );
    await waitForLock();
    for (let read = 0; read < 5; read += 1)
      expect(await busy.repositories.objects.count({ classes: ["File"] }, seesAll)).toBeGreaterThan(0);
    await busy.health();
    first.release();
    await Promise.all([first.ended, ...writers]);
    await busy.close();
  }, 60_000);

  test("does not delay reads", async () => {
    const first = openTransaction((r) => r.objects.insert([file("unseen")]));
    await first.taken;
    const { objects } = await other.repositories.objects.find(
      {
        classes: ["File"],
        filter: { kind: "oneOf", path: { hops: [], leaf: "Name", type: "string" }, values: ["unseen"] },
      },
      seesAll,
      { offset: 0, limit: 1 },
    );
    expect(objects).toEqual([]);
    first.release();
    await first.ended;
  });
});

describe("secure sessions on MariaDB", () => {
  let server: TestMariadb;
  let database: string;
  let storage: MariadbStorage;
  let offset = 0;

  beforeAll(async () => {
    server = await openTestMariadb();
    database = server.freshName();
    storage = await server.storage({ database, clockOffset: () => offset });
    await storage.migrate();
  }, processTimeout);
  afterAll(() => server.close());

  const rowsOf = async (text: string) => (await server.admin.query<RowDataPacket[]>(text))[0];

  test("leave no channel behind when they are ended, swept or replaced", async () => {
    const { sessions } = storage.repositories;
    for (const name of ["ended", "of a device", "of a device, again", "swept"]) {
      await sessions.open(newSession(name, { mode: "secure", channel, deviceId: name.split(",")[0] ?? null }), {
        ...openPolicy,
        perDevice: 1,
      });
    }
    await sessions.end({ digest: digestOf("ended") });
    const channels = () => rowsOf(`select lower(hex(session)) as digest from ${database}.channels order by 1`);
    expect(await channels()).toEqual(
      [digestOf("of a device, again"), digestOf("swept")].toSorted().map((digest) => ({ digest })),
    );
    offset = openPolicy.absoluteLifetime;
    expect(await sessions.sweep(10)).toBe(2);
    expect(await channels()).toEqual([]);
  });
});

describe("throttling on MariaDB", () => {
  const policy = { maxFailures: 1_000, initialDelay: 1_000, maxDelay: 900_000, resetAfter: 3_600_000 };

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
      // Waiting for the outer transaction fails. The time-out is that of the statement: the connection drops databases later.
      await server.admin.query(
        `set statement innodb_lock_wait_timeout = 0 for update ${database}.throttle set forget_at = now(6) + interval 2 hour where \`key\` = 'theirs'`,
      );
    });
    const [rows] = await server.admin.query(`select \`key\` from ${database}.throttle order by \`key\``);
    expect(rows).toEqual([{ key: "ours" }, { key: "theirs" }]);
  });

  test("handles concurrent failures and passes with any key order without a deadlock", async () => {
    const keys = ["address", "user"].map((key) => ({ key, policy }));
    const keysFor = (index: number) => (index % 2 === 0 ? keys : keys.toReversed());
    await storage.repositories.throttle.fail(keys);
    let runs = 0;
    const work = Array.from({ length: 80 }, (_, index) =>
      storage.transaction(async (r) => {
        runs += 1;
        if (index % 4 < 2) await r.throttle.fail(keysFor(index));
        else await r.throttle.pass(keysFor(index), ["user"]);
      }),
    );
    await Promise.all(work);
    // A deadlock would have rerun the call.
    expect(runs).toBe(80);
  });

  test("grants a first exemption to concurrent transactions without a deadlock, though most of them are rolled back", async () => {
    const isKept = (index: number) => index % 5 === 4;
    let runs = 0;
    const work = Array.from({ length: 20 }, (_, index) =>
      storage.transaction(async (r) => {
        runs += 1;
        const grant = { group: "network", member: "new", lifetime: 3_600_000, atMost: 10 };
        await r.throttle.pass([], [], grant);
        // The others wait for it.
        for (let reads = 0; reads < 5; reads += 1) await r.audit.read(0, 1);
        if (!isKept(index)) throw new Error("rolled back");
      }),
    );
    const outcomes = await Promise.allSettled(work);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(outcomes.map((_, index) => isKept(index)));
    expect(runs).toBe(20);
    const [rows] = await server.admin.query(`select \`key\` from ${database}.throttle where \`key\` like 'exempt%'`);
    expect(rows).toHaveLength(1);
  });
});

describe("recovery on MariaDB", () => {
  let server: TestMariadb;
  beforeAll(async () => {
    server = await openTestMariadb();
  });
  afterAll(() => server.close());

  test("ends sessions by the clock of the storage, and gives no number again", async () => {
    const database = server.freshName();
    const storage = await server.storage({ database });
    await storage.migrate();
    const { objects, records, sessions } = storage.repositories;
    const create = async () => (await objects.insert([{ className: "File", attributes: {} }]))[0]?.id ?? "";
    const put = async (id: string) => {
      await records.put("appName", id, {});
      return (await records.get("appName", [id]))[0]?.version ?? 0;
    };
    const lastId = await create();
    const [stamp, version] = [await objects.watermark(), await put("before")];
    await sessions.open(newSession("plain"), openPolicy);
    await sessions.open(newSession("secure", { mode: "secure", channel }), openPolicy);
    const recovery = mariadbRecovery((await server.connect()).knex, database);
    expect((await recovery.look()).isPending).toBe(false);
    await recovery.skip("secure");
    expect(await sessions.count()).toBe(1);
    await recovery.skip("all");
    expect(await sessions.count()).toBe(0);
    expect(objectNumber(await create()) - objectNumber(lastId)).toBeGreaterThan(2 ** 30);
    expect((await objects.watermark()) - stamp).toBeGreaterThan(2 ** 30);
    expect((await put("after")) - version).toBeGreaterThan(2 ** 30);
  }, 60_000);
});
