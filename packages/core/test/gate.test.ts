import { type Account, type Claim, Gate, type Person, ServiceError, type StoredObject } from "@sallyport/core";
import { digests, type Fixture, openFixture, policy, random } from "./fixture.ts";

const gate = new Gate(digests, random);

describe("the gate", () => {
  let fixture: Fixture;
  let account: Account;
  let person: Person;

  const prepare = async (change = {}) => {
    fixture = await openFixture(change);
    const [userId] = await fixture.insert({ className: "User", attributes: { Name: "u" } });
    await fixture.r.accounts.create({ userId: userId as string, loginName: "u", secret: "s", administrator: false }, "u");
    const found = await fixture.r.accounts.forProof("u", []);
    account = found.account as Account;
    person = { account, user: found.user as StoredObject, linked: [] };
  };
  beforeEach(() => prepare());

  const claim = (proven: boolean | Promise<boolean>, more: Partial<Claim> = {}): Claim => ({
    mode: "session",
    userKey: "u",
    prepareProof: async () => async () => ((await proven) ? person : null),
    appNames: ["app"],
    deviceId: null,
    ...more,
  });
  const enter = (each: Claim, before = async () => {}) => gate.enter(fixture.context, each, before);
  const codeOf = (entering: Promise<unknown>) =>
    entering.then(
      () => 0,
      (error: unknown) => (error instanceof ServiceError ? error.code : error),
    );
  const trail = async () => (await fixture.r.audit.read(0, 100)).map(({ type, outcome }) => `${type} ${outcome}`);

  test("opens a session for who can prove it, and writes it down", async () => {
    const { sessionId } = await enter(claim(true));
    const { session, principal } = await fixture.r.admission.admit({
      appKey: digests.sha256("key"),
      session: digests.sha256(sessionId),
      idleTimeout: 60_000,
    });
    expect(session).toMatchObject({ mode: "session", appNames: ["app"] });
    expect(principal?.userId).toBe(account.userId);
    expect(await trail()).toEqual(["login.accepted 0"]);
  });

  test("refuses who cannot, without asking for more than the proof", async () => {
    let asked = 0;
    expect(await codeOf(enter(claim(false), async () => void (asked += 1)))).toBe(302);
    expect(asked).toBe(0);
    expect(await fixture.r.sessions.count()).toBe(0);
    expect(await trail()).toEqual(["login.refused 302"]);
  });

  test("does not ask for the proof while a delay runs", async () => {
    for (let n = 0; n < 3; n += 1) await codeOf(enter(claim(false)));
    let proofs = 0;
    const error = await enter(claim(true, { prepareProof: async () => async () => ((proofs += 1), person) })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 302, retryAfter: 60 });
    expect(proofs).toBe(0);
  });

  test("writes a tally of those who are locked out, one for each app key and network", async () => {
    for (let n = 0; n < 3; n += 1) await codeOf(enter(claim(false)));
    for (let n = 0; n < 7; n += 1) expect(await codeOf(enter(claim(true)))).toBe(302);
    const { context } = fixture;
    const elsewhere = { ...context, origin: { address: "2001:db8::1:2", network: "2001:db8::/64" } };
    for (let n = 0; n < 2; n += 1) await codeOf(gate.enter(elsewhere, claim(true), async () => {}));
    expect(await trail()).toEqual(Array<string>(3).fill("login.refused 302"));
    expect(await fixture.r.audit.settle(0, 10)).toBe(2);
    const tallies = (await fixture.r.audit.read(3, 10)).map(({ type, outcome, attempts, address, userId }) => [type, outcome, attempts, address, userId]);
    expect(tallies).toEqual([
      ["login.refused", 302, 7, "192.0.2.1", null],
      ["login.refused", 302, 2, "2001:db8::1:2", null],
    ]);
  });

  test("holds failures against a guess that was already under way", async () => {
    let answer: (proven: boolean) => void = () => {};
    const proof = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const slow = codeOf(enter(claim(proof)));
    for (let n = 0; n < 3; n += 1) await codeOf(enter(claim(false)));
    answer(true);
    expect(await slow).toBe(302);
    expect(await fixture.r.sessions.count()).toBe(0);
  });

  test("stays shut when the work before the opening fails", async () => {
    await expect(enter(claim(true), () => Promise.reject(new ServiceError(704)))).rejects.toMatchObject({ code: 704 });
    expect(await fixture.r.sessions.count()).toBe(0);
    expect(await trail()).toEqual([]);
  });

  test("tells a full house from a wrong password, and does not count it as a failure", async () => {
    await prepare({ sessions: { ...policy.sessions, limit: 1 } });
    await enter(claim(true));
    for (let n = 0; n < 5; n += 1) expect(await codeOf(enter(claim(true)))).toBe(315);
    expect(await fixture.r.throttle.fail([{ key: `user:${digests.sha256("u")}`, policy: { ...policy.throttle.user, freeFailures: 2 } }])).toBe(0);
    expect(await trail()).toEqual(["login.accepted 0", ...Array<string>(5).fill("login.refused 315")]);
  });

  test("forgets a user's failures after a success, not the address's", async () => {
    const address = { ...policy.throttle.user, freeFailures: 2 };
    await prepare({ throttle: { user: policy.throttle.user, address } });
    await codeOf(enter(claim(false)));
    expect(await codeOf(enter(claim(true)))).toBe(0);
    await codeOf(enter(claim(false)));
    expect(await codeOf(enter(claim(true)))).toBe(302);
  });

  test("is not throttled when the policy says so", async () => {
    const off = { ...policy.throttle.user, freeFailures: 0 };
    await prepare({ throttle: { user: off, address: off } });
    for (let n = 0; n < 50; n += 1) await codeOf(enter(claim(false)));
    expect(await codeOf(enter(claim(true)))).toBe(0);
  });
});
