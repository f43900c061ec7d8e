import type { RunningServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { call, checkSession, logOut, multiResults, tryLogIn } from "../client.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { until } from "@sallyport/test-kit/jest/until";
import { tuned } from "../test-environment.ts";

/** A user, and an address, is locked out for as long as a test lasts. */
const slowUsers = tuned({ policy: { delaysOfUsers: { initialDelay: 3_600_000 } } });
const slowAddresses = tuned({ policy: { delaysOfAddresses: { initialDelay: 3_600_000, maxDelay: 3_600_000 } } });

const codesOf = (answers: readonly { code: string }[]) => answers.map(({ code }) => code).toSorted();

describe("limits", () => {
  let postgres: PostgresFixture;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
  }, 60_000);
  afterAll(() => postgres.close());

  test("of sessions in a database are enforced in concurrent log-ins", async () => {
    const server = await postgres.demo({ SESSION_LIMIT: "3" });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => tryLogIn(server, n % 2 === 0 ? "demo" : "reader")),
    );
    expect(codesOf(answers)).toEqual([...Array<string>(3).fill("0"), ...Array<string>(9).fill("315")]);
    expect(answers.find(({ code }) => code === "315")).toMatchObject({ status: 429 });
    expect((await tryLogIn({ url: `${server.url}/second` }, "demo")).code).toBe("0");

    const open = answers.flatMap(({ body }) => body.data?.sessionId ?? []);
    for (const sessionId of open) await logOut(server, sessionId);
    expect((await tryLogIn(server, "demo")).code).toBe("0");
    await server.close();
    await postgres.sql.query(
      "delete from sallyport_demo.sessions; update sallyport_demo.session_counts set sessions = 0",
    );
  });

  test("of sessions of one user do not affect others, and a device replaces its own session", async () => {
    const server = await postgres.demo({ SESSION_PER_USER_LIMIT: "2" });
    const answers = await Promise.all(Array.from({ length: 6 }, () => tryLogIn(server, "demo")));
    expect(codesOf(answers)).toEqual(["0", "0", "315", "315", "315", "315"]);
    const device = { device: { deviceId: "one" } };
    for (const more of [{}, device, device, device]) expect((await tryLogIn(server, "reader", more)).code).toBe("0");
    expect((await tryLogIn(server, "reader")).code).toBe("315");
    await server.close();
  });

  test("of failures slow down guessing, also for unknown users", async () => {
    const server = await postgres.demo({
      THROTTLE_USER_MAX_FAILURES: "3",
      ...slowUsers,
      THROTTLE_USER_MAX_DELAY: "1h",
    });
    const attempt = async (user: string) => {
      const answers = [];
      for (let n = 0; n < 5; n += 1) answers.push(await tryLogIn(server, user, { pass: "wrong" }));
      return answers.map(({ status, body, headers }) => ({ status, body, later: headers["retry-after"] }));
    };
    const known = await attempt("admin");
    const refused = {
      status: 403,
      body: { status: { internalStatus: "302", statusMessage: "User and password are invalid" } },
    };
    expect(known.slice(0, 2)).toEqual([1, 2].map(() => ({ ...refused, later: undefined })));
    expect(known[2]).toEqual({ ...refused, later: "3600" });
    expect(Number(known[4]?.later)).toBeGreaterThan(3_590);

    const unknown = await attempt("nobody");
    expect(unknown.map(({ status, body }) => ({ status, body }))).toEqual(
      known.map(({ status, body }) => ({ status, body })),
    );
    expect(unknown.map(({ later }) => later === undefined)).toEqual(known.map(({ later }) => later === undefined));

    // The right password is refused during the delay, too; another user is not affected.
    expect(await tryLogIn(server, "admin")).toMatchObject({ status: 403, code: "302" });
    expect((await tryLogIn(server, "reader")).code).toBe("0");
    await server.close();
    await postgres.sql.query("delete from sallyport_demo.throttle");
  });

  test("of failures are cleared for a user by a success", async () => {
    const server = await postgres.demo({
      THROTTLE_USER_MAX_FAILURES: "3",
      ...slowUsers,
      THROTTLE_USER_MAX_DELAY: "1h",
    });
    for (let round = 0; round < 3; round += 1) {
      await tryLogIn(server, "reader", { pass: "wrong" });
      await tryLogIn(server, "reader", { pass: "wrong" });
      expect((await tryLogIn(server, "reader")).code).toBe("0");
    }
    await server.close();
  });

  test("of failures count parallel guesses: only a few are checked", async () => {
    const server = await postgres.demo({
      THROTTLE_USER_MAX_FAILURES: "5",
      ...slowUsers,
      THROTTLE_USER_MAX_DELAY: "1h",
    });
    await Promise.all(Array.from({ length: 40 }, () => tryLogIn(server, "admin", { pass: "wrong" })));
    expect(await tryLogIn(server, "admin")).toMatchObject({ code: "302" });
    await server.close();
    await postgres.sql.query("delete from sallyport_demo.throttle");
  });

  test("of failures count per address, for any users", async () => {
    const server = await postgres.demo({
      THROTTLE_IP_MAX_FAILURES: "3",
      ...slowAddresses,
      TRUSTED_PROXIES: "127.0.0.1",
    });
    const from = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" });
    for (const user of ["a", "b", "c"]) await tryLogIn(server, user, { pass: "wrong" }, from("2001:db8:1:1::1"));
    expect(await tryLogIn(server, "demo", {}, from("2001:db8:1:1::1"))).toMatchObject({
      code: "302",
      headers: { "retry-after": expect.any(String) },
    });
    // Another address of the same customer's network counts as the same.
    expect((await tryLogIn(server, "demo", {}, from("2001:db8:1:1:ffff::9"))).code).toBe("302");
    expect((await tryLogIn(server, "demo", {}, from("2001:db8:1:2::1"))).code).toBe("0");
    await server.close();
  });

  test("of requests in progress shed load, and the next one is served again", async () => {
    const server = await postgres.demo({ MAX_REQUESTS_IN_FLIGHT: "1" });
    await postgres.sql.query("begin; lock table sallyport_demo.app_keys");
    const stuck = tryLogIn(server, "demo");
    // Only once it is in progress.
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
    await until(async () => /^sallyport_requests_in_flight 1$/m.test(await metrics()));
    expect(await call(server, "/_CheckService")).toMatchObject({
      status: 503,
      code: "706",
      headers: { "retry-after": "1" },
    });
    await postgres.sql.query("rollback");
    expect((await stuck).code).toBe("0");
    expect(await call(server, "/_CheckService")).toMatchObject({ status: 200 });
    await server.close();
  });

  test("of the time of a multi request skip the remaining items, or roll back the transaction", async () => {
    const server = await postgres.demo({ MULTI_TIMEOUT: "50ms" });
    const sessionId = await logIn(server, "demo");
    await postgres.sql.query(
      "create function sallyport_demo.dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return new; end'",
    );
    await postgres.sql.query(
      "create trigger dawdle before insert on sallyport_demo.objects for each row execute function sallyport_demo.dawdle()",
    );
    const create = { method: "POST", path: "/v1/object/Customer", data: { Name: "late" } };
    const separately = await call(server, "/v1/multi", { method: "POST", sessionId, body: [create, create, create] });
    expect(
      multiResults(separately.body.data).map(({ httpStatus, result }) => [
        httpStatus,
        typeof result === "number" ? result : 0,
      ]),
    ).toEqual([
      [200, 0],
      [503, 706],
      [503, 706],
    ]);
    expect(
      await call(server, "/v1/multi?atomic=true", { method: "POST", sessionId, body: [create, create] }),
    ).toMatchObject({ status: 503, code: "706" });
    const { rows } = await postgres.sql.query(
      "select count(*)::int as n from sallyport_demo.objects where attributes ->> 'Name' = 'late'",
    );
    expect(rows[0].n).toBe(1);
    await postgres.sql.query("drop trigger dawdle on sallyport_demo.objects");
    await server.close();
  });

  test("of queued password checks shed log-ins, not sessions", async () => {
    const server = await postgres.demo({
      ...tuned({ passwords: { concurrency: 1, queueLimit: 1 } }),
      ARGON2_TIME_COST: "20",
      ARGON2_MEMORY_COST: "8192",
    });
    const sessionId = await logIn(server, "demo");
    // That log-in has renewed the hash of its user with the configured cost.
    const answers = await Promise.all(Array.from({ length: 8 }, () => tryLogIn(server, "demo", { pass: "wrong" })));
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(["302", "706"]));
    expect(answers.find(({ code }) => code === "706")).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(await checkSession(server, sessionId)).toBe("0");
    await server.close();
  });
});

const cheap = { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" };

describe("lockout by address", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  let other: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const environment = {
      ...cheap,
      TRUSTED_PROXIES: "127.0.0.1",
      ...slowAddresses,
    };
    server = await postgres.demo(environment);
    other = await postgres.demo(environment);
    // Hashes of the demo have the configured cost once their users have logged in.
    for (const user of ["demo", "reader", "admin"]) await tryLogIn(server, user, {}, from("2001:db8:9::1"));
  }, 60_000);
  afterAll(() => postgres.close());

  const from = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" });
  const answer = async (at: RunningServer, user: string, pass: string, address: string) => {
    const { status, body, headers } = await tryLogIn(at, user, { pass }, from(address));
    return { status, body: status === 200 ? "in" : body, later: headers["retry-after"] };
  };
  /** This many users from one address, each with one guess. */
  const guessPasswords = async (address: string, count: number) => {
    for (let attempt = 0; attempt < count; attempt += 1)
      await tryLogIn(
        attempt % 2 === 0 ? server : other,
        `somebody ${address} ${attempt}`,
        { pass: "wrong" },
        from(address),
      );
  };
  const refused = {
    status: 403,
    body: { status: { internalStatus: "302", statusMessage: "User and password are invalid" } },
    later: expect.stringMatching(/^3(600|5\d\d)$/),
  };

  test("admits earlier users of an office after 101 failures of others, on every server", async () => {
    const office = "192.0.2.1";
    expect(await answer(server, "reader", "reader", office)).toMatchObject({ status: 200 });
    const { sessionId } = (await tryLogIn(other, "demo", {}, from(office))).body.data;
    await guessPasswords(office, 101);
    for (const at of [server, other]) {
      expect(await answer(at, "reader", "reader", office)).toMatchObject({ status: 200 });
      for (const [user, pass] of [
        ["admin", "admin"],
        ["admin", "wrong"],
        ["reader", "wrong"],
        ["nobody", "wrong"],
      ] as const)
        expect(await answer(at, user, pass, office)).toEqual(refused);
    }
    expect(await answer(server, "admin", "admin", "192.0.2.2")).toMatchObject({ status: 200 });
    const change = (oldPassword: string) =>
      call(server, "/v1/changePassword", {
        method: "POST",
        sessionId,
        headers: from(office),
        body: { oldPassword, newPassword: "a new password of the demo" },
      });
    expect(await change("wrong")).toMatchObject({ code: "339", headers: { "retry-after": expect.any(String) } });
    expect((await change("demo")).code).toBe("0");
    expect(await answer(server, "demo", "a new password of the demo", office)).toMatchObject({ status: 200 });
  }, 60_000);

  test("counts an IPv6 /64 as one address", async () => {
    expect(await answer(server, "reader", "reader", "2001:db8:1:1::1")).toMatchObject({ status: 200 });
    await guessPasswords("2001:db8:1:1::2", 101);
    expect(await answer(server, "reader", "reader", "2001:db8:1:1:ffff::9")).toMatchObject({ status: 200 });
    expect(await answer(server, "admin", "admin", "2001:db8:1:1::1")).toEqual(refused);
  }, 60_000);

  test("limits the guesses at a known user by the user's own count", async () => {
    const office = "192.0.2.3";
    expect(await answer(server, "reader", "reader", office)).toMatchObject({ status: 200 });
    await guessPasswords(office, 101);
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(await answer(server, "reader", `wrong ${attempt}`, office)).toEqual(refused);
    expect(await answer(server, "reader", "reader", office)).toEqual(refused);
    expect(await answer(server, "reader", "reader", "192.0.2.4")).toMatchObject({ status: 403, later: "1" });
  }, 60_000);
});
