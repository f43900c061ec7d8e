import {
  type AuthenticatedAccount,
  type IdentityLinkRecord,
  passwordAuthentication,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import {
  Applications,
  type AuthenticationAttempt,
  FactorProofs,
  FactorSecrets,
  Gate,
  type KeyWrapping,
  type NewSecondFactor,
  SecondFactors,
  type SecondFactorInput,
  type TimeTokens,
} from "../../src/index.ts";
import { digests, type Fixture, openFixture, policy, using } from "../fixture.ts";

describe("second factors", () => {
  function linkNamed(id: string, { shared }: { readonly shared: boolean }): IdentityLinkRecord {
    const identity = { provider: "google", issuer: "https://issuer.example", subject: id } as const;
    return { id, createdVersion: 1, value: { ...identity, id, userId: "1", shared, email: null, displayName: null } };
  }

  /** The token of a step is its number; the tests of tokens check the rest. */
  const tokens: TimeTokens = {
    newSecret: () => "SECRET",
    address: () => "",
    stepOf: (secret, token, at, after) => {
      const now = Math.floor(at / 30_000);
      return [now - 1, now, now + 1].find((step) => step > after && token === `${secret} ${step}`) ?? null;
    },
  };

  const wrapping: KeyWrapping = {
    wrap: (plain, purpose) => `${purpose}:${String.fromCodePoint(...plain)}`,
    unwrap: (wrapped, purpose) =>
      wrapped.startsWith(`${purpose}:`)
        ? Uint8Array.from(wrapped.slice(purpose.length + 1), (letter) => letter.charCodeAt(0))
        : undefined,
    rewrap: (wrapped) => wrapped,
  };

  const secrets = new FactorSecrets(wrapping, digests);
  const factorProofs = new FactorProofs(secrets, tokens, digests);
  const gate = new Gate(async () => {});

  let offset: number;
  let fixture: Fixture;
  let person: AuthenticatedAccount;

  const subject = () => `user:${person.account.userId}`;

  beforeEach(async () => {
    offset = 0;
    fixture = await openFixture({}, () => offset);
    const [userId] = await fixture.insert({ className: "User", attributes: { Name: "u" } });
    await fixture.r.accounts.create(
      { userId: userId as string, loginName: "u", secret: "s", administrator: false },
      "u",
    );
    const { account, user } = await fixture.r.accounts.find({ realm: "database", loginName: "u" }, []);
    person = {
      account: account as AuthenticatedAccount["account"],
      user: user as StoredObject,
      linked: [],
      authenticationMethod: passwordAuthentication,
    };
    await new Applications(fixture.r.records).create({ name: "may", seats: null, secondFactor: "optional" });
    await new Applications(fixture.r.records).create({ name: "must", seats: null, secondFactor: "forced" });
  });

  async function confirmed(appName: string, secret = "SECRET") {
    const key = { subject: subject(), appName };
    const sealedSecret = secrets.seal(key, secret);
    await confirm({ ...key, sealedSecret, recoveryCodes: [digests.sha256("ABCDEFGHIJKLMNOP")] });
  }

  async function confirm(factor: NewSecondFactor): Promise<void> {
    const factors = new SecondFactors(fixture.r.records);
    await factors.enrol(factor);
    const [stored] = await factors.find(factor.subject, [factor.appName]);
    if (stored === undefined || !(await factors.accept(stored, 0))) throw new Error("The factor was not confirmed.");
  }

  function logIn(secondFactor?: SecondFactorInput, more: Partial<AuthenticationAttempt> = {}): Promise<number> {
    const attempt: AuthenticationAttempt = {
      mode: "session",
      userKey: "u",
      proof: async () => person,
      appNames: ["may"],
      deviceId: null,
      ...(secondFactor && { secondFactor }),
      ...more,
    };
    return gate
      .openSession(using(fixture.context, { factorProofs }), attempt, async () => {})
      .then(
        () => 0,
        (error: unknown) => (error instanceof ServiceError ? error.code : 799),
      );
  }

  /** Moves the storage's clock to this many milliseconds after the start of the next step; returns its number. */
  async function moveTo(behind: number): Promise<number> {
    const now = await fixture.database.storage.now();
    const step = Math.floor(now / 30_000) + 10;
    offset += step * 30_000 + behind - now;
    return step;
  }

  const shown = (step: number, secret = "SECRET") => ({ token: `${secret} ${step}` });

  test("accept tokens by the storage's clock, one step early or late, to the edges of the steps", async () => {
    await confirmed("may");
    const early = await moveTo(1_000);
    expect([await logIn(shown(early + 2)), await logIn(shown(early + 1))]).toEqual([342, 0]);
    const late = await moveTo(20_000);
    expect([
      await logIn(shown(late - 2)),
      await logIn(shown(late - 1)),
      await logIn(shown(late)),
      await logIn(shown(late)),
    ]).toEqual([342, 0, 0, 342]);
    // An accepted step stays behind, however the clock moves.
    offset -= 30_000;
    expect([await logIn(shown(late - 1)), await logIn(shown(late))]).toEqual([342, 342]);
  });

  test("check a slow log-in at the time of its token", async () => {
    await confirmed("may");
    const step = await moveTo(0);
    const at = await fixture.database.storage.now();
    offset += 600_000;
    expect([
      await logIn(shown(step)),
      await logIn({ ...shown(step), at }),
      await logIn({ ...shown(step), at }),
    ]).toEqual([342, 0, 342]);
  });

  test("count wrong tokens as failures, hide everything else behind a lockout, and do not count missing ones", async () => {
    await confirmed("may");
    const step = await moveTo(0);
    for (let times = 0; times < 10; times += 1)
      expect([await logIn(), await logIn(undefined, { appNames: ["must"] })]).toEqual([341, 340]);
    for (let times = 0; times < policy.throttle.user.maxFailures; times += 1)
      expect(await logIn({ token: "wrong" })).toBe(342);
    expect([await logIn(shown(step)), await logIn(), await logIn({ token: "wrong" })]).toEqual([302, 302, 302]);
    offset += 60_000;
    expect(await logIn(shown(step + 2))).toBe(0);
  });

  test("do not spend a token when the session is refused for another reason", async () => {
    await confirmed("may");
    const step = await moveTo(0);
    const failing = { beforeCommit: () => Promise.reject(new ServiceError(324)) };
    expect([await logIn(shown(step), failing), await logIn(shown(step)), await logIn(shown(step))]).toEqual([
      324, 0, 342,
    ]);
    const { r } = fixture;
    const [factor] = await new SecondFactors(r.records).find(subject(), ["may"]);
    expect(factor?.lastStep).toBe(step);
    expect([
      await logIn({ token: "abcd efgh ijkl mnop" }, failing),
      await logIn({ token: "abcd efgh ijkl mnop" }),
      await logIn({ token: "abcd efgh ijkl mnop" }),
    ]).toEqual([324, 0, 342]);
  });

  test("check every app name that requires one, and spend all or none of the tokens", async () => {
    await confirmed("may", "ONE");
    await confirmed("must", "OTHER");
    const step = await moveTo(0);
    const both = { appNames: ["must", "app", "may"] };
    expect([
      await logIn(shown(step, "ONE"), both),
      await logIn({ token: `ONE ${step},OTHER ${step + 5}` }, both),
    ]).toEqual([342, 342]);
    expect([
      await logIn({ token: `OTHER ${step},ONE ${step}` }, both),
      await logIn({ token: `OTHER ${step},ONE ${step}` }, both),
    ]).toEqual([0, 342]);
  });

  test("are separate for custom users that share a user", async () => {
    await confirmed("may");
    const own = person;
    person = { ...own, authenticationMethod: { kind: "provider", link: linkNamed("l", { shared: false }) } };
    expect(await logIn()).toBe(341);
    person = { ...own, authenticationMethod: { kind: "provider", link: linkNamed("l", { shared: true }) } };
    expect([await logIn(), await logIn(undefined, { appNames: ["must"] })]).toEqual([0, 340]);
    person = { ...own, authenticationMethod: { kind: "custom", accountId: "c", secretVersion: 1 } };
    expect(await logIn()).toBe(0);
  });

  test("refuse a secret moved to the row of another user or app name", async () => {
    const sealedSecret = secrets.seal({ subject: "user:other", appName: "may" }, "SECRET");
    const factor = { subject: subject(), appName: "may", sealedSecret, recoveryCodes: [] };
    await confirm(factor);
    expect(await logIn(shown(await moveTo(0)))).toBe(705);
  });

  test("let a session for enrolment into no app, and it takes no device's place", async () => {
    const { r } = fixture;
    expect(await logIn(undefined, { deviceId: "tablet" })).toBe(0);
    expect([
      await logIn({ token: null, enrol: true }, { appNames: ["must"], deviceId: "tablet" }),
      await r.sessions.count(),
    ]).toEqual([0, 2]);
    // For app names without a factor it is an ordinary session.
    expect([await logIn({ token: null, enrol: true }, { deviceId: "tablet" }), await r.sessions.count()]).toEqual([
      0, 2,
    ]);
  });
});
