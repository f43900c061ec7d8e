import { setTimeout as pause } from "node:timers/promises";
import { TcpRelay } from "@sallyport/test-kit/network/tcp-relay";
import { until } from "@sallyport/test-kit/jest/until";
import { addressOf } from "../../src/dialects/postgres/postgres-hosts.ts";
import { KnexStorage } from "../../src/index.ts";
import { hostText } from "../../src/dialects/server-address.ts";
import { codeOf } from "../sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "../test-database.ts";

describe("several hosts of Postgres", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase({ migrated: true });
  }, startTimeout);
  afterAll(() => database.drop());

  let relays: [TcpRelay, TcpRelay];

  beforeEach(async () => {
    const url = new URL(database.directUrl);
    relays = [new TcpRelay(url), new TcpRelay(url)];
    for (const relay of relays) await relay.listen();
  });
  afterEach(async () => {
    for (const relay of relays) await relay.refuse();
  });

  const connect = () => {
    const [one, other] = relays.map((relay) => new URL(relay.url).host);
    const url = database.directUrl.replace(/@[^/]*\//, `@${one},${other}/`);
    // Longer than a test: a silent host is left by nothing but the watch over it.
    const { knex } = database.connect({ url, silenceTimeout: 120_000 });
    const { repositories } = new KnexStorage({ knex, schema: "test" });
    return async () => ((await codeOf(repositories.sessions.count())) === 704 ? 704 : "answered");
  };
  const recovered = (count: () => Promise<unknown>) => until(async () => (await count()) === "answered");

  test("the next host is used while one refuses connections", async () => {
    const [one, other] = relays;
    await one.refuse();
    const count = connect();
    expect(await count()).toBe("answered");
    await one.listen();
    await other.refuse();
    expect(await recovered(count)).toBe(true);
  });

  test("requests wait for a failover", async () => {
    const [one, other] = relays;
    await other.refuse();
    const count = connect();
    expect(await count()).toBe("answered");
    await one.refuse();
    await pause(50);
    const waiting = [count(), count()];
    await pause(400);
    await other.listen();
    expect(await Promise.all(waiting)).toEqual(["answered", "answered"]);
  });

  test("a silent host is left", async () => {
    const [one] = relays;
    const count = connect();
    expect(await count()).toBe("answered");
    one.answer(false);
    expect(await count()).toBe(704);
    expect(await recovered(count)).toBe(true);
  });

  test("the first connection is one to the next host while one is silent", async () => {
    const [one] = relays;
    one.answer(false);
    expect(await connect()()).toBe("answered");
  });

  test("a host that accepts no writes is refused until it does", async () => {
    const { admin } = database;
    const name = new URL(database.url).pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    const count = connect();
    const waiting = count();
    expect(await count()).toBe(704);
    expect(await waiting).toBe(704);
    await admin.query("set default_transaction_read_only = off");
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    expect(await count()).toBe("answered");
  });
});

test.each([
  ["postgres://me:secret@a:5432,b:5433/db", ["a:5432", "b:5433"], true],
  ["postgres://a,[::1]:5433/db?sslmode=disable", ["a:5432", "[::1]:5433"], true],
  ["postgres://a,b/db?target_session_attrs=any", ["a:5432", "b:5432"], false],
  ["postgres://a/db?target_session_attrs=read-write&sslmode=disable", ["a:5432"], true],
  ["postgresql://a/db?target_session_attrs=primary", ["a:5432"], true],
  ["postgres://me@a/db", ["a:5432"], false],
  ["postgres:///db?host=/var/run/postgresql", ["/var/run/postgresql:5432"], false],
])("%s is a Postgres address", (url, places, writable) => {
  const address = addressOf(url);
  expect(address.hosts.map(hostText)).toEqual(places);
  expect(address.writable).toBe(writable);
});
