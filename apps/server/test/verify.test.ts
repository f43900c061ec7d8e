import type { ClientSession } from "@sallyport/client";
import type { RunningServer } from "../src/index.ts";
import { callIn, createObject } from "./client.ts";
import { openSession } from "./open-session.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { violationsOf } from "./require-intact.ts";

let postgres: PostgresFixture;
let server: RunningServer;
let session: ClientSession;
let customer: string;

beforeAll(async () => {
  postgres = await openPostgresFixture();
  server = await postgres.demo();
  session = await openSession(server, "session", "demo");
  customer = await createObject(server, session, "Customer", { Name: "Ada" });
  await createObject(server, session, "Invoice", { Number: "1", Customer: customer });
  const gone = await createObject(server, session, "Customer", { Name: "Gone" });
  const binned = await createObject(server, session, "Customer", { Name: "Binned" });
  await createObject(server, session, "Invoice", { Number: "2", Customer: binned });
  await callIn(server, session, `/v1/object/${gone}`, { method: "DELETE" });
  await callIn(server, session, `/v1/object/${binned}?moveToRecycler=true`, { method: "DELETE" });
}, 120_000);
afterAll(() => postgres.close());

const found = async () => {
  const database = server.databases.get("");
  if (!database) throw new Error("The demo has no database.");
  return (await violationsOf(database)).map(({ invariant, finding }) => `${invariant}: ${finding}`);
};

test("a database in use has no violation, while others write", async () => {
  const writes = Array.from({ length: 30 }, async (_, index) => {
    const id = await createObject(server, session, "Customer", { Name: `C${index}` });
    const { code } = await callIn(server, session, `/v1/object/${id}?moveToRecycler=true`, { method: "DELETE" });
    expect(code).toBe("0");
    await openSession(server, "session", "demo");
  });
  expect(await found()).toEqual([]);
  await Promise.all(writes);
  expect(await found()).toEqual([]);
});

const ada = "(select oid from objects where class = 'Customer' and attributes ->> 'Name' = 'Ada')";
const binned = "(select oid from tombstones where attributes ->> 'Name' = 'Binned')";
const second = "(select oid from objects where class = 'Invoice' and attributes ->> 'Number' = '2')";
const shard = "class = 'Customer' and shard = (select min(shard) from object_counts where class = 'Customer')";

interface Damage {
  readonly about: string;
  readonly damage: string;
  readonly repair: string;
  readonly finding: RegExp;
}

const damages: readonly Damage[] = [
  {
    about: "a link that is gone",
    damage: `delete from links where target = ${ada}`,
    repair: `insert into links select ${ada}, oid, 'Customer' from objects where class = 'Invoice' and attributes ->> 'Number' = '1'`,
    finding: /^links: The object \w+ has references that are not stored/,
  },
  {
    about: "a link without a reference",
    damage: `insert into links values (${ada}, ${second}, 'Customer')`,
    repair: `delete from links where target = ${ada} and source = ${second}`,
    finding: /^links: The links of the object \w+ differ/,
  },
  {
    about: "a link to an object that is deleted permanently",
    damage: `update tombstones set attributes = null, root = -1 where oid = ${binned}`,
    repair: `update tombstones set attributes = '{"Name":"Binned"}', root = oid where root = -1`,
    finding: /^links: The object \w+ has a link to \w+, which is deleted/,
  },
  {
    about: "a deletion without its first object",
    damage: `update tombstones set root = ${ada} where oid = ${binned}`,
    repair: `update tombstones set root = oid where oid = ${binned}`,
    finding: /^tombstones: The recycled objects of the deletion \w+ have lost/,
  },
  {
    about: "an object of no class",
    damage: `update objects set class = 'Nothing' where oid = ${second}`,
    repair: "update objects set class = 'Invoice' where class = 'Nothing'",
    finding: /^objects: The object \w+ is of the unknown class Nothing/,
  },
  {
    about: "a stamp of former readers above that of the object",
    damage: `insert into former_readers select oid, stamp + 1000000, class, null, now() from objects where oid = ${ada}`,
    repair: `delete from former_readers where oid = ${ada}`,
    finding: /^stamps: The stamps of the former readers/,
  },
  {
    about: "former readers of another class",
    damage: `insert into former_readers select oid, 1, 'Invoice', null, now() from objects where oid = ${ada}`,
    repair: `delete from former_readers where oid = ${ada}`,
    finding: /^formerReaders: The former readers of the object \w+ name another class/,
  },
  {
    about: "a swept object that lives",
    damage: `insert into swept_objects values (${ada}, gen_random_uuid())`,
    repair: "delete from swept_objects",
    finding: /^objects: The object \w+ is stored twice/,
  },
  {
    about: "an account of no user",
    damage: `insert into accounts (user_id, login_name, confusable_key, secret, administrator) values (${ada}, 'x', 'x', 'x', false)`,
    repair: "delete from accounts where login_name = 'x'",
    finding: /^accounts: The account "x" belongs to \w+, which is no user/,
  },
  {
    about: "a UUID that two objects have",
    damage: `insert into swept_objects select 1000000000000, uuid from objects where oid = ${ada}`,
    repair: "delete from swept_objects",
    finding: /^objects: Several objects have the same UUID/,
  },
  {
    about: "a wrong count of objects",
    damage: `update object_counts set objects = objects + 1 where ${shard}`,
    repair: `update object_counts set objects = objects - 1 where ${shard}`,
    finding: /^counts: The count of the class Customer is \d+ instead of \d+/,
  },
];

test.each(damages)("$about is a violation", async ({ damage, repair, finding }) => {
  const { sql } = postgres;
  // Triggers and foreign keys would refuse the damage.
  await sql.query("set search_path to sallyport_demo; set session_replication_role = replica");
  await sql.query(damage);
  expect(await found()).toContainEqual(expect.stringMatching(finding));
  await sql.query(repair);
});

test("a repaired database has no violation", async () => {
  expect(await found()).toEqual([]);
});
