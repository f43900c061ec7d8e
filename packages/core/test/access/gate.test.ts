import {
  type Account,
  type AuthenticatedAccount,
  ofDatabase,
  passwordAuthentication,
  type Repositories,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import {
  administrationOf,
  type AuthenticationAttempt,
  Gate,
  type GuardedAttempt,
  readLimits,
  setLimits,
} from "@sallyport/core";
import { digests, type Fixture, openFixture, policy } from "../fixture.ts";

const gate = new Gate(async () => {});

describe("log-in gate", () => {
  let fixture: Fixture;
  let account: Account;
  let person: AuthenticatedAccount;

  const prepare = async (change = {}) => {
    fixture = await openFixture(change);
    const [userId] = await fixture.insert({ className: "User", attributes: { Name: "u" } });
    await fixture.r.accounts.create(
      { userId: userId as string, loginName: "u", secret: "s", administrator: false },
      "u",
    );
    const found = await fixture.r.accounts.find({ realm: "database", loginName: "u" }, []);
    account = found.account as Account;
    person = { account, user: found.user as StoredObject, linked: [], authenticationMethod: passwordAuthentication };
  };
  beforeEach(() => prepare());

  const attempt = (
    proven: boolean | Promise<boolean>,
    more: Partial<AuthenticationAttempt> = {},
  ): AuthenticationAttempt => ({
    mode: "session",
    userKey: "u",
    proof: async () => ((await proven) ? person : null),
    appNames: ["app"],
    deviceId: null,
    ...more,
  });
  const logIn = (each: AuthenticationAttempt, before = async () => {}) =>
    gate.openSession(fixture.context, each, before);
  const codeOf = (attempted: Promise<unknown>) =>
    attempted.then(
      () => 0,
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    );
  const trail = async () => (await fixture.r.audit.read(0, 100)).map(({ type, outcome }) => `${type} ${outcome}`);

  test("runs a bounded number of proofs of one network at once", async () => {
    const bounded = new Gate(async () => {}, 2);
    let finish = (_isProven: boolean) => {};
    const proof = new Promise<boolean>((resolve) => {
      finish = resolve;
    });
    const logInFrom = (network: string) =>
      codeOf(
        bounded.openSession(
          { ...fixture.context, origin: { address: network, network } },
          attempt(proof),
          async () => {},
        ),
      );
    const waiting = [logInFrom("192.0.2.1"), logInFrom("192.0.2.1")];
    await new Promise(setImmediate);
    expect(await logInFrom("192.0.2.1")).toBe(706);
    const other = logInFrom("192.0.2.2");
    finish(true);
    expect(await Promise.all([...waiting, other, logInFrom("192.0.2.1")])).toEqual([0, 0, 0, 0]);
  });

  test("opens a session for a valid proof, and audits it", async () => {
    const { sessionId } = await logIn(attempt(true));
    const { session, principal } = await fixture.r.admission.admit({
      appKey: digests.sha256("key"),
      session: digests.sha256(sessionId),
      idleTimeout: 60_000,
    });
    expect(session).toMatchObject({ mode: "session", appNames: ["app"] });
    expect(principal?.userId).toBe(account.userId);
    expect(await trail()).toEqual(["login.accepted 0"]);
  });

  test("refuses a failed proof without checking anything else", async () => {
    let asked = 0;
    expect(await codeOf(logIn(attempt(false), async () => void (asked += 1)))).toBe(302);
    expect(asked).toBe(0);
    expect(await fixture.r.sessions.count()).toBe(0);
    expect(await trail()).toEqual(["login.refused 302"]);
  });

  test("does not check the proof during a delay", async () => {
    for (let n = 0; n < 3; n += 1) await codeOf(logIn(attempt(false)));
    let proofs = 0;
    const error = await logIn(attempt(true, { proof: async () => ((proofs += 1), person) })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 302, retryAfter: 60 });
    expect(proofs).toBe(0);
  });

  test("audits lockouts as one tally for each app key and network", async () => {
    for (let n = 0; n < 3; n += 1) await codeOf(logIn(attempt(false)));
    for (let n = 0; n < 7; n += 1) expect(await codeOf(logIn(attempt(true)))).toBe(302);
    const { context } = fixture;
    const otherNetwork = { ...context, origin: { address: "2001:db8::1:2", network: "2001:db8::/64" } };
    for (let n = 0; n < 2; n += 1) await codeOf(gate.openSession(otherNetwork, attempt(true), async () => {}));
    expect(await trail()).toEqual(Array<string>(3).fill("login.refused 302"));
    expect(await fixture.r.audit.settle(0, 10)).toBe(2);
    const tallies = (await fixture.r.audit.read(3, 10)).map(({ type, outcome, attempts, address, subjectId }) => [
      type,
      outcome,
      attempts,
      address,
      subjectId,
    ]);
    expect(tallies).toEqual([
      ["login.refused", 302, 7, "192.0.2.1", null],
      ["login.refused", 302, 2, "2001:db8::1:2", null],
    ]);
  });

  test("applies failures to an attempt that was already in progress", async () => {
    let answer: (proven: boolean) => void = () => {};
    const proof = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const slow = codeOf(logIn(attempt(proof)));
    for (let n = 0; n < 3; n += 1) await codeOf(logIn(attempt(false)));
    answer(true);
    expect(await slow).toBe(302);
    expect(await fixture.r.sessions.count()).toBe(0);
  });

  test("stays closed when the work before the opening fails", async () => {
    await expect(logIn(attempt(true), () => Promise.reject(new ServiceError(704)))).rejects.toMatchObject({
      code: 704,
    });
    expect(await fixture.r.sessions.count()).toBe(0);
    expect(await trail()).toEqual([]);
  });

  test("applies limits of the database, which stay within their ranges", async () => {
    const context = administrationOf(fixture.database);
    const audited = async () => (await fixture.r.audit.read(0, 100)).map(({ type }) => type);
    const set = (limits: Record<string, number | null>) => codeOf(setLimits(context, new Map(Object.entries(limits))));
    for (const wrong of [
      { "sessions.limit": -1 },
      { "sessions.limit": 1.5 },
      { "sessions.limit": 10_000_001 },
      { "sessions.perDevice": 0 },
      { "sessions.idleTimeout": 5 },
      { "rates.address": 5 },
      { constructor: 5 },
      { "sessions.limit": 3, "sessions.perUserLimit": 4 },
    ])
      expect(await set(wrong)).toBe(307);
    expect([await audited(), (await fixture.r.admission.admit(ofDatabase)).settingsGeneration]).toEqual([[], 0]);
    const read = async () => {
      const shown = (await readLimits(context)).filter(({ overridden }) => overridden);
      return Object.fromEntries(shown.map(({ name, value }) => [name, value]));
    };
    expect(await set({ "sessions.limit": 3, "rates.address.perMinute": 60 })).toBe(0);
    expect(await set({ "sessions.perUserLimit": 4 })).toBe(307);
    expect(await set({ "sessions.limit": null, "sessions.perUserLimit": 4, "rates.address.burst": 0 })).toBe(0);
    expect(await read()).toEqual({
      "sessions.perUserLimit": 4,
      "rates.address.perMinute": 60,
      "rates.address.burst": 0,
    });
    const names = ["sessions.perUserLimit", "rates.address.perMinute", "rates.address.burst"];
    // Changes of different limits at once are all kept.
    await Promise.all(names.map((name) => set({ [name]: null })));
    expect(await read()).toEqual({});
    expect((await fixture.r.admission.admit(ofDatabase)).settingsGeneration).toBe(5);
    expect(await audited()).toEqual(Array<string>(5).fill("limits.changed"));
    expect(await codeOf(logIn(attempt(true)))).toBe(0);
    expect(await set({ "sessions.limit": 1 })).toBe(0);
    // A request that was admitted before the change uses the earlier limits.
    expect(await codeOf(logIn(attempt(true)))).toBe(0);
    const admitted = { ...fixture.context, settingsGeneration: 6 };
    expect(await codeOf(gate.openSession(admitted, attempt(true), async () => {}))).toBe(315);
  });

  test("distinguishes exhausted seats from a wrong password, and does not count them as a failure", async () => {
    await prepare({ sessions: { ...policy.sessions, limit: 1 } });
    await logIn(attempt(true));
    for (let n = 0; n < 5; n += 1) expect(await codeOf(logIn(attempt(true)))).toBe(315);
    expect(
      await fixture.r.throttle.fail([
        { key: `user:${digests.sha256("u")}`, policy: { ...policy.throttle.user, maxFailures: 2 } },
      ]),
    ).toBe(0);
    expect(await trail()).toEqual(["login.accepted 0", ...Array<string>(5).fill("login.refused 315")]);
  });

  test("clears the failures of a user after a success, but not those of the address", async () => {
    const address = { ...policy.throttle.user, maxFailures: 2 };
    await prepare({ throttle: { user: policy.throttle.user, ip: address } });
    await codeOf(logIn(attempt(false)));
    expect(await codeOf(logIn(attempt(true)))).toBe(0);
    await codeOf(logIn(attempt(false)));
    expect(await codeOf(logIn(attempt(true, { userKey: "another" })))).toBe(302);
  });

  test("does not throttle when the policy disables it", async () => {
    const off = { ...policy.throttle.user, maxFailures: 0 };
    await prepare({ throttle: { user: off, ip: off } });
    for (let n = 0; n < 50; n += 1) await codeOf(logIn(attempt(false)));
    expect(await codeOf(logIn(attempt(true)))).toBe(0);
  });

  test("does the accompanying work together with the opening, or neither", async () => {
    const disable = (failing: number | null): AuthenticationAttempt =>
      attempt(true, {
        beforeCommit: async (r, { account: { userId } }) => {
          await r.accounts.change(userId, { email: "alongside@example.com" });
          if (failing !== null) throw new ServiceError(failing === 324 ? 324 : 704);
        },
      });
    const state = async () => [
      (await fixture.r.accounts.find({ id: account.userId }, [])).account?.email,
      await fixture.r.sessions.count(),
    ];
    expect(await codeOf(logIn(disable(324)))).toBe(324);
    expect(await codeOf(logIn(disable(704)))).toBe(704);
    expect(await state()).toEqual([null, 0]);
    expect(await codeOf(logIn(disable(null)))).toBe(0);
    expect(await state()).toEqual(["alongside@example.com", 1]);
    expect(await trail()).toEqual(["login.refused 324", "login.accepted 0"]);
  });

  test("skips the accompanying work of an attempt that failures overtook", async () => {
    let answer: (proven: boolean) => void = () => {};
    const proof = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    let done = 0;
    const slow = codeOf(logIn(attempt(proof, { beforeCommit: async () => void (done += 1) })));
    for (let n = 0; n < 3; n += 1) await codeOf(logIn(attempt(false)));
    answer(true);
    expect([await slow, done]).toEqual([302, 0]);
  });

  test("counts a wrong second factor as a failure of the known user", async () => {
    for (let n = 0; n < 3; n += 1)
      expect(await codeOf(logIn(attempt(true), () => Promise.reject(new ServiceError(342))))).toBe(342);
    expect(await logIn(attempt(true)).catch((error: unknown) => error)).toMatchObject({ code: 302, retryAfter: 60 });
    expect((await fixture.r.audit.read(0, 10)).map(({ outcome, actorId }) => [outcome, actorId])).toEqual(
      Array.from({ length: 3 }, () => [342, account.userId]),
    );
  });

  test("names the provider in the audit", async () => {
    await logIn(attempt(true, { providerName: "google" }));
    await codeOf(logIn(attempt(false, { providerName: "apple" })));
    expect((await fixture.r.audit.read(0, 10)).map(({ providerName }) => providerName)).toEqual(["google", "apple"]);
  });
});

describe("guarded operation", () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await openFixture();
  });

  const attempt = (
    proven: boolean | Promise<boolean>,
    more: Partial<GuardedAttempt<string, string>> = {},
  ): GuardedAttempt<string, string> => ({
    userKey: "u",
    refusal: { code: 339, type: "password.refused" },
    userId: "1",
    prove: async () => ((await proven) ? "proof" : null),
    act: async (r, proof) => {
      await r.settings.setMaintenance(true);
      return `done with ${proof}`;
    },
    ...more,
  });
  const guard = (each: GuardedAttempt<string, string>) =>
    gate.guard(fixture.context, each).catch((error: ServiceError) => [error.code, error.retryAfter]);
  const trail = async () =>
    (await fixture.r.audit.read(0, 100)).map(({ type, outcome, attempts }) => `${type} ${outcome} ${attempts}`);

  test("runs when the proof is valid", async () => {
    expect(await guard(attempt(true))).toBe("done with proof");
    expect((await fixture.r.admission.admit(ofDatabase)).maintenance).toBe(true);
  });

  test("is refused, counted and audited when the proof is wrong, and shares the lockout with log-ins of the user", async () => {
    for (let n = 0; n < 2; n += 1) expect(await guard(attempt(false))).toEqual([339, undefined]);
    expect(await guard(attempt(false))).toEqual([339, 60]);
    let asked = 0;
    expect(await guard(attempt(true, { prove: async () => `${(asked += 1)}` }))).toEqual([339, 60]);
    expect(asked).toBe(0);
    const other: GuardedAttempt<string, string> = attempt(true, {
      refusal: { code: 326, type: "customPassword.refused" },
    });
    expect(await guard(other)).toEqual([326, 60]);
    const login: AuthenticationAttempt = {
      mode: "session",
      userKey: "u",
      proof: async () => null,
      appNames: [],
      deviceId: null,
    };
    await expect(gate.openSession(fixture.context, login, async () => {})).rejects.toMatchObject({
      code: 302,
      retryAfter: 60,
    });
    expect(await trail()).toEqual(Array<string>(3).fill("password.refused 339 1"));
    expect(await fixture.r.audit.settle(0, 10)).toBe(3);
    expect((await trail()).slice(3).toSorted()).toEqual([
      "customPassword.refused 326 1",
      "login.refused 302 1",
      "password.refused 339 1",
    ]);
  });

  test("clears the failures of the user when it is done", async () => {
    for (let n = 0; n < 5; n += 1) {
      for (let failure = 0; failure < 2; failure += 1) expect(await guard(attempt(false))).toEqual([339, undefined]);
      expect(await guard(attempt(true))).toBe("done with proof");
    }
  });

  test("keeps its own errors, undone and not counted", async () => {
    const failing = async (r: Repositories): Promise<string> => {
      await r.settings.setMaintenance(true);
      throw new ServiceError(320);
    };
    for (let n = 0; n < 5; n += 1) expect(await guard(attempt(true, { act: failing }))).toEqual([320, undefined]);
    expect((await fixture.r.admission.admit(ofDatabase)).maintenance).toBe(false);
    expect(await trail()).toEqual([]);
  });

  test("does not run when failures overtook it, and answers like them", async () => {
    let answer: (proven: boolean) => void = () => {};
    const proof = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const slow = guard(attempt(proof));
    for (let n = 0; n < 3; n += 1) await guard(attempt(false));
    answer(true);
    expect(await slow).toEqual([339, 60]);
    expect((await fixture.r.admission.admit(ofDatabase)).maintenance).toBe(false);
  });
});
