import type { Links, Repositories } from "@sallyport/storage";
import { codeOf, digestOf } from "./sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

const anybody = { session: null };

describe("links", () => {
  let database: TestDatabase;
  let r: Repositories;

  beforeAll(async () => {
    database = await openTestDatabase();
  }, startTimeout);
  beforeEach(async () => {
    await database.admin.query("drop schema if exists test cascade");
    const storage = database.storage();
    await storage.migrate();
    r = storage.repositories;
  });
  afterAll(() => database.drop());

  const links = async () => {
    const { rows } = await database.admin.query(
      `select source || '.' || attribute || '>' || target as link from test.links order by source, attribute, target`,
    );
    return rows.map(({ link }: { link: string }) => link);
  };
  const create = async (linked?: Links) => {
    const [object] = await r.objects.insert([
      { className: "File", attributes: {}, ...(linked === undefined ? {} : { links: linked }) },
    ]);
    return object?.id ?? "";
  };
  const update = (id: string, linked: Links) =>
    r.objects.update([{ id, attributes: {}, links: linked, expectedVersions: null }], anybody);

  test("are written with their objects and follow each changed attribute", async () => {
    const [one, two] = [await create(), await create()];
    const source = await create({ Boss: [one], Team: [two, one, two], None: [] });
    expect(await links()).toEqual(["3.Boss>1", "3.Team>1", "3.Team>2"]);
    await update(source, { Team: [two, source] });
    expect(await links()).toEqual(["3.Boss>1", "3.Team>2", "3.Team>3"]);
    await update(source, { Boss: [] });
    expect(await links()).toEqual(["3.Team>2", "3.Team>3"]);
    await update(two, { Team: [one] });
    await update(source, {});
    expect(await links()).toEqual(["2.Team>1", "3.Team>2", "3.Team>3"]);
    expect(await codeOf(update(source, { Team: [one, "ZZZZ"] }))).toBe(307);
    expect(await links()).toEqual(["2.Team>1", "3.Team>2", "3.Team>3"]);
  });

  test("of several objects are written in one call, each for its own object", async () => {
    await create();
    await create();
    const made = await r.objects.insert([
      { className: "File", attributes: {}, links: { Boss: ["1"] } },
      { className: "File", attributes: {} },
      { className: "File", attributes: {}, links: { Boss: ["2"] } },
    ]);
    expect(await links()).toEqual(["3.Boss>1", "5.Boss>2"]);
    const changes = made.map(({ id }, index) => ({
      id,
      attributes: {},
      links: index === 0 ? {} : { Boss: ["1"], Other: ["2"] },
      expectedVersions: null,
    }));
    await r.objects.update(changes, anybody);
    expect(await links()).toEqual(["3.Boss>1", "4.Boss>1", "4.Other>2", "5.Boss>1", "5.Other>2"]);
  });

  test("are refused to a concurrently deleted object", async () => {
    for (const write of [() => create({ Boss: ["1"] }), () => update("2", { Boss: ["1"] }).then(() => "")]) {
      await database.admin.query("truncate test.objects, test.links restart identity");
      await create();
      await create();
      await database.admin.query("begin");
      await database.admin.query("delete from test.objects where oid = 1");
      const outcome = codeOf(write());
      await database.untilWaiting("true");
      await database.admin.query("commit");
      expect(await outcome).toBe(307);
    }
  });

  test("keep their target until they are written", async () => {
    await create();
    const storage = database.storage();
    let deleting: Promise<unknown> = Promise.resolve();
    await storage.transaction(async (inside) => {
      await inside.objects.insert([{ className: "File", attributes: {}, links: { Boss: ["1"] } }]);
      deleting = database.admin.query(
        "delete from test.objects o where oid = 1 and not exists (select from test.links where target = o.oid)",
      );
      await inside.objects.update(
        [{ id: "1", attributes: { Name: "still there" }, links: {}, expectedVersions: [1] }],
        anybody,
      );
    });
    await deleting;
    expect(await links()).toEqual(["2.Boss>1"]);
  });

  test("delay a lock until a running write ends", async () => {
    const id = await create();
    const session = digestOf("mine");
    await database.admin.query(
      `insert into test.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
        values (decode($1, 'hex'), 'session', 'key', 1, 1, '[]', now(), now() + interval '1 h', now() + interval '1 h')`,
      [session],
    );
    let taken: Promise<string> = Promise.resolve("");
    await database.storage().transaction(async (inside) => {
      await inside.objects.update([{ id, attributes: { Name: "new" }, links: {}, expectedVersions: null }], anybody);
      let ended = false;
      taken = r.locks.take(id, session).finally(() => {
        ended = true;
      });
      await database.untilWaiting("true");
      expect(ended).toBe(false);
    });
    expect(await taken).toBe("locked");
    expect(await codeOf(update(id, {}))).toBe(713);
  });
});
