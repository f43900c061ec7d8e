import { beforeAllChanges, type Repositories, seesAll } from "@sallyport/core";
import type { RowDataPacket } from "mysql2";
import type { MariadbStorage } from "../../src/index.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

const file = (name: string) => ({ className: "File", attributes: { Name: name } });

/** A promise with the function that resolves it. */
function barrier(): { readonly passed: Promise<void>; readonly pass: () => void } {
  let pass = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}

describe("the object write lock on MariaDB", () => {
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
    for (;;) {
      const [rows] = await server.admin.query<RowDataPacket[]>(
        "select 1 from information_schema.processlist where info like ?",
        [`select%\`${database}\`.\`object_series\` for update`],
      );
      if (rows.length > 0) return;
    }
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
    const watermark = await other.repositories.changes.watermark();
    expect(await other.repositories.changes.read(beforeAllChanges, watermark, 100)).toEqual([]);
    first.release();
    await first.ended;
    const [created] = await second;
    const changes = await other.repositories.changes.read(
      { stamp: watermark, id: null },
      await other.repositories.changes.watermark(),
      100,
    );
    expect(changes.map(({ stamp, id }) => [stamp - watermark, id === created?.id])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test("leaves no gap when its transaction is rolled back", async () => {
    const before = await one.repositories.changes.watermark();
    const first = openTransaction((r) => r.objects.insert([file("first")]), "rolled back");
    await first.taken;
    const second = other.repositories.objects.insert([file("second")]);
    await waitForLock();
    first.release();
    await Promise.all([first.ended, second]);
    expect(await one.repositories.changes.watermark()).toBe(before + 1);
  });

  test.each<[string, (r: Repositories, id: string) => Promise<unknown>]>([
    ["locks", (r, id) => r.locks.take(id, "a".repeat(64))],
    ["model changes", async (r) => r.model.change({ put: [] }, (await r.model.load()).generation)],
    ["deletions", (r, id) => r.deletion.lock([id])],
    ["updates of locked objects", (r, id) => r.objects.lock([id])],
  ])("delays %s", async (_what, act) => {
    const [object] = await one.repositories.objects.insert([file("held")]);
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
