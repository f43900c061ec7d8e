import { jest } from "@jest/globals";
import { passwordAuthentication, type ServiceError, type StoredObject } from "@sallyport/storage";
import { type AuthenticationAttempt, Gate } from "@sallyport/core";
import { digests, type Fixture, openFixture, policy } from "../fixture.ts";

const day = 86_400_000;
const free = 10;
const rule = { maxFailures: free, initialDelay: 60_000, maxDelay: 900_000, resetAfter: day };
const office = { address: "192.0.2.1", network: "192.0.2.1" };
const otherNetwork = { address: "198.51.100.7", network: "198.51.100.7" };

describe("lockout by address", () => {
  let offset: number;
  let fixture: Fixture;
  let pauses: number[];
  let gate: Gate;
  let prove: (userKey: string) => AuthenticationAttempt["proof"];

  beforeEach(async () => {
    // Delays are whole seconds of a clock that stands still.
    jest.useFakeTimers({
      doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "setTimeout", "setInterval", "performance"],
    });
    offset = 0;
    pauses = [];
    gate = new Gate(async (milliseconds) => void pauses.push(milliseconds));
    fixture = await openFixture(
      {
        sessions: { ...policy.sessions, absoluteLifetime: day },
        throttle: { user: { ...rule, initialDelay: 5_000 }, ip: { ...rule, maxFailures: 100 } },
      },
      () => offset,
    );
    const [userId] = await fixture.insert({ className: "User", attributes: { Name: "u" } });
    await fixture.r.accounts.create({ userId: userId ?? "", loginName: "u", secret: "s", administrator: false }, "u");
    const { account, user } = await fixture.r.accounts.find({ realm: "database", loginName: "u" }, []);
    if (account === null) throw new Error("The account is not there.");
    const person = { account, user: user as StoredObject, linked: [], authenticationMethod: passwordAuthentication };
    prove = (proof) => async () => (proof === "right" ? person : null);
  });

  afterEach(() => jest.useRealTimers());

  /** The outcome of a log-in: its code, and the seconds of `Retry-After`. */
  const logIn = (
    userKey: string,
    proof: "right" | "wrong",
    origin = office,
  ): Promise<readonly [number, number | undefined]> => {
    const attempt: AuthenticationAttempt = {
      mode: "session",
      userKey,
      proof: prove(proof),
      appNames: ["app"],
      deviceId: null,
    };
    return gate
      .openSession({ ...fixture.context, origin }, attempt, async () => {})
      .then(
        () => [0, undefined] as const,
        (error: ServiceError) => [error.code, error.retryAfter] as const,
      );
  };
  const change = (userKey: string, proof: "right" | "wrong") =>
    gate
      .guard(fixture.context, {
        userKey,
        refusal: { code: 339, type: "password.refused" },
        userId: "1",
        prove: async () => (proof === "right" ? "proof" : null),
        act: async () => 0,
      })
      .catch(({ code, retryAfter }: ServiceError) => [code, retryAfter]);
  const lockAddress = async (failures = 100) => {
    for (let failed = 0; failed < failures; failed += 1) await logIn(`stranger ${failed}`, "wrong");
  };

  test("begins at the hundredth failure of an address, and at the tenth of a user", async () => {
    const waits = [];
    for (let failed = 0; failed < 101; failed += 1) waits.push((await logIn(`stranger ${failed}`, "wrong"))[1]);
    expect(waits.map((wait) => wait === undefined).lastIndexOf(true)).toBe(98);
    const own = [];
    for (let failed = 0; failed < 11; failed += 1) own.push((await logIn("u", "wrong", otherNetwork))[1]);
    expect(own.map((wait) => wait === undefined).lastIndexOf(true)).toBe(8);
  });

  test("admits users who logged in there before 101 failures of others, and refuses all others", async () => {
    await logIn("u", "right");
    await logIn("v", "right", otherNetwork);
    await lockAddress(101);
    expect(await logIn("u", "right")).toEqual([0, undefined]);
    expect(await logIn("v", "right")).toEqual([302, 60]);
    expect(await logIn("v", "right", otherNetwork)).toEqual([0, undefined]);
    expect([await change("u", "right"), await change("v", "right")]).toEqual([0, [339, 60]]);
  });

  test("answers a wrong guess at a known user like any other, however often and later", async () => {
    await logIn("u", "right");
    await lockAddress();
    for (const seconds of [0, 1, 20]) {
      offset += seconds * 1_000;
      const answers = [];
      for (const [userKey, proof] of [
        ["u", "wrong"],
        ["v", "wrong"],
        ["v", "right"],
        ["nobody", "wrong"],
        ["u", "wrong"],
      ] as const) {
        answers.push([...(await logIn(userKey, proof)), ...((await change(userKey, proof)) as number[])]);
      }
      for (const answer of answers) expect(answer).toEqual([302, answers[0]?.[1], 339, answers[0]?.[1]]);
    }
    // By now the user has a delay, after twelve checked guesses: it is shorter than the address's and hidden behind it.
    expect(await logIn("u", "right")).toEqual(await logIn("v", "right"));
  });

  test("delays a refusal as long as a proof takes", async () => {
    const taking = (time: number) => async () => {
      jest.setSystemTime(Date.now() + time);
      return null;
    };
    const attempt = (userKey: string, time = 0) =>
      gate
        .openSession(
          fixture.context,
          { mode: "session", userKey, proof: taking(time), appNames: ["app"], deviceId: null },
          async () => {},
        )
        .catch(() => {});
    await attempt("custom\0slow", 5_000);
    await lockAddress(99);
    expect(pauses).toEqual([]);
    for (const userKey of ["v", "custom\0v", "provider\0v\0v"]) await attempt(userKey);
    // Each kind has its own times, capped at a maximum; the last kind has no proof yet.
    expect(pauses).toEqual([0, 1_000]);
  });

  test("reveals nothing about 1,000 users to one address, right or wrong", async () => {
    const answers = [];
    for (let user = 0; user < 1_000; user += 1)
      answers.push(await logIn(`user ${user}`, user >= 100 && user % 3 === 0 ? "right" : "wrong"));
    expect(new Set(answers.slice(0, 99).map(String))).toEqual(new Set(["302,"]));
    expect(new Set(answers.slice(99).map(String))).toEqual(new Set(["302,60"]));
    expect(await fixture.r.sessions.count()).toBe(0);
  });

  test("keeps the user's own count over 1,000 addresses, known or not", async () => {
    for (let known = 0; known < 5; known += 1) await logIn("u", "right", { address: `${known}`, network: `${known}` });
    let judged = 0;
    for (let address = 0; address < 1_000; address += 1) {
      const origin = { address: `${address}`, network: `${address}` };
      const attempt: AuthenticationAttempt = {
        mode: "session",
        userKey: "u",
        proof: async () => ((judged += 1), null),
        appNames: ["app"],
        deviceId: null,
      };
      await gate.openSession({ ...fixture.context, origin }, attempt, async () => {}).catch(() => {});
    }
    expect(judged).toBe(free);
  });

  test("gives a known user no cover for guesses at others, and no extra guesses at themselves", async () => {
    await logIn("mallory", "right");
    let judged = 0;
    const attempt = async (userKey: string) => {
      const attempt: AuthenticationAttempt = {
        mode: "session",
        userKey,
        proof: async () => ((judged += 1), null),
        appNames: ["app"],
        deviceId: null,
      };
      await gate.openSession(fixture.context, attempt, async () => {}).catch(() => {});
    };
    for (let victim = 0; victim < 300; victim += 1) {
      await attempt(`victim ${victim}`);
      expect((await logIn("mallory", "right"))[0]).toBe(0);
    }
    expect(judged).toBe(100);
    for (let guesses = 0; guesses < 50; guesses += 1) await attempt("mallory");
    expect(judged).toBe(100 + free);
  });

  test("counts the failures of a known user until the address is locked", async () => {
    await logIn("u", "right");
    for (let failed = 0; failed < 9; failed += 1) await logIn("u", "wrong");
    await lockAddress(90);
    expect((await logIn("stranger", "wrong"))[1]).toBe(60);
  });

  test("knows a user for 30 days after the last log-in", async () => {
    await logIn("u", "right");
    for (const [days, code] of [
      [20, 0],
      [29.9, 0],
      [30.1, 302],
    ] as const) {
      offset += days * day;
      await lockAddress();
      expect((await logIn("u", "right"))[0]).toBe(code);
    }
  });

  test("does not apply to the same name in another realm", async () => {
    await logIn("u", "right");
    await lockAddress();
    for (const userKey of ["custom\0u", "provider\0u\0u", "U", "u "])
      expect((await logIn(userKey, "right"))[0]).toBe(302);
  });

  test("caches 1,000 users of an address, and evicts the oldest first", async () => {
    for (let user = 0; user < 1_001; user += 1) {
      offset += 10;
      await fixture.r.throttle.pass([], [], grantOf(`user ${user}`));
    }
    await lockAddress();
    expect([
      (await logIn("user 0", "right"))[0],
      (await logIn("user 1", "right"))[0],
      (await logIn("user 1000", "right"))[0],
    ]).toEqual([302, 0, 0]);
  });

  const grantOf = (userKey: string) => ({
    group: digests.sha256(office.network).slice(0, 40),
    member: digests.sha256(userKey).slice(0, 40),
    lifetime: 30 * day,
    atMost: 1_000,
  });
});
