import type { RunningServer } from "../src/index.ts";
import { call, tryLogIn } from "./client.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";

const cheap = { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" };

describe("a lockout by address", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  let other: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const environment = {
      ...cheap,
      TRUSTED_PROXIES: "127.0.0.1",
      THROTTLE_ADDRESS_FIRST_DELAY: "1h",
      THROTTLE_ADDRESS_LONGEST_DELAY: "1h",
    };
    server = await postgres.demo(environment);
    other = await postgres.demo(environment);
    // Hashes of the demo cost what the configuration says once their users have logged in.
    for (const user of ["demo", "reader", "admin"]) await tryLogIn(server, user, {}, from("2001:db8:9::1"));
  }, 60_000);
  afterAll(() => postgres.close());

  const from = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" });
  const answer = async (at: RunningServer, user: string, pass: string, address: string) => {
    const { status, body, headers } = await tryLogIn(at, user, { pass }, from(address));
    return { status, body: status === 200 ? "in" : body, later: headers["retry-after"] };
  };
  /** So many users from one address, each with one guess. */
  const spray = async (address: string, count: number) => {
    for (let guess = 0; guess < count; guess += 1)
      await tryLogIn(
        guess % 2 === 0 ? server : other,
        `somebody ${address} ${guess}`,
        { pass: "wrong" },
        from(address),
      );
  };
  const refused = {
    status: 403,
    body: { status: { internalStatus: "302", statusMessage: "User and password are invalid" } },
    later: expect.stringMatching(/^3(600|5\d\d)$/),
  };

  test("keeps an office open for who has worked there, after 101 failures of others, on every server", async () => {
    const office = "192.0.2.1";
    expect(await answer(server, "reader", "reader", office)).toMatchObject({ status: 200 });
    const { sessionId } = (await tryLogIn(other, "demo", {}, from(office))).body.data;
    await spray(office, 101);
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

  test("takes an IPv6 /64 for one address", async () => {
    expect(await answer(server, "reader", "reader", "2001:db8:1:1::1")).toMatchObject({ status: 200 });
    await spray("2001:db8:1:1::2", 101);
    expect(await answer(server, "reader", "reader", "2001:db8:1:1:ffff::9")).toMatchObject({ status: 200 });
    expect(await answer(server, "admin", "admin", "2001:db8:1:1::1")).toEqual(refused);
  }, 60_000);

  test("holds the guesses at a known user to the user's own count", async () => {
    const office = "192.0.2.3";
    expect(await answer(server, "reader", "reader", office)).toMatchObject({ status: 200 });
    await spray(office, 101);
    for (let guess = 0; guess < 10; guess += 1)
      expect(await answer(server, "reader", `wrong ${guess}`, office)).toEqual(refused);
    expect(await answer(server, "reader", "reader", office)).toEqual(refused);
    expect(await answer(server, "reader", "reader", "192.0.2.4")).toMatchObject({ status: 403, later: "1" });
  }, 60_000);
});
