import {
  Applications,
  CheckSecondFactors,
  type AuthenticationAttempt,
  FactorProofs,
  FactorSecrets,
  Gate,
  type IdentityLinkRecord,
  type KeyWrapping,
  type NewSecondFactor,
  passwordAuthentication,
  type AuthenticatedAccount,
  SecondFactors,
  ServiceError,
  type SecondFactorInput,
  type StoredObject,
  type TimeTokens,
} from "../src/index.ts";
import { digests, type Fixture, openFixture, policy, random } from "./fixture.ts";
import { pendingFactor, factorOf, found, freshDigest } from "./stores/factors.ts";
import { concurrently, hostileTexts, openStoreFixture, tally, unstorableTexts } from "./stores/store-fixture.ts";

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
  const gate = new Gate(
    digests,
    random,
    new CheckSecondFactors(new FactorProofs(secrets, tokens, digests)),
    async () => {},
  );

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
      prepareProof: async () => async () => person,
      appNames: ["may"],
      deviceId: null,
      ...(secondFactor && { secondFactor }),
      ...more,
    };
    return gate
      .openSession(fixture.context, attempt, async () => {})
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

describe("stored second factors", () => {
  let factors: SecondFactors;

  beforeEach(async () => {
    factors = new SecondFactors((await openStoreFixture()).r.records);
  });

  const keys = async () => (await factors.list(null, 10)).map(({ subject, appName }) => [subject, appName]);

  test("are kept as they were begun, each for its subject and app name", async () => {
    expect(await factors.find("user:3", ["field"])).toEqual([]);
    const factor = factorOf("user:3", { recoveryCodes: [freshDigest(), freshDigest()], sealedSecret: "s".repeat(400) });
    const second = factorOf("user:3", { appName: "Field" });
    const foreign = factorOf("user:33");
    for (const each of [factor, second, foreign]) expect(await factors.enrol(each)).toBe("enrolled");
    expect(await factors.find("user:3", ["nobody", "field", "field"])).toEqual([pendingFactor(factor)]);
    expect(await factors.find("user:3", ["field", "Field"])).toEqual([pendingFactor(second), pendingFactor(factor)]);
    expect(await factors.find("user:3", [])).toEqual([]);
    for (const subject of ["user:333", "USER:3", "user:3 ", "user:", ""])
      expect(await factors.find(subject, ["field"])).toEqual([]);
  });

  test("begin again until they are confirmed, and not afterwards", async () => {
    const [first, second, third] = ["one", "two", "three"].map((sealedSecret) =>
      factorOf("user:3", { sealedSecret, recoveryCodes: [freshDigest()] }),
    ) as [NewSecondFactor, NewSecondFactor, NewSecondFactor];
    expect(await factors.enrol(first)).toBe("enrolled");
    const before = await found(factors, first);
    expect(await factors.enrol(second)).toBe("enrolled");
    expect(await factors.find("user:3", ["field"])).toEqual([pendingFactor(second)]);
    expect(await factors.accept(before, 1)).toBe(false);
    expect(await factors.accept(await found(factors, second), 2)).toBe(true);
    expect(await factors.enrol(third)).toBe("confirmed");
    expect(await found(factors, second)).toEqual({ ...pendingFactor(second), confirmed: true, lastStep: 2 });
    expect(await factors.enrol({ ...third, appName: "office" })).toBe("enrolled");
  });

  test("are begun by several calls at once, or confirmed already", async () => {
    const secrets = Array.from({ length: 8 }, (_, index) => factorOf("user:3", { sealedSecret: `secret ${index}` }));
    const outcomes = await concurrently(8, (index) => factors.enrol(secrets[index] as NewSecondFactor));
    expect(tally(outcomes)).toEqual({ enrolled: 8 });
    const kept = await found(factors, factorOf("user:3"));
    expect(secrets.map(({ sealedSecret }) => sealedSecret)).toContain(kept.sealedSecret);
    expect(tally(await concurrently(8, () => factors.accept(kept, 1)))).toEqual({ true: 1, false: 7 });
    const late = await concurrently(8, (index) => factors.enrol(factorOf("user:3", { sealedSecret: `late ${index}` })));
    expect(tally(late)).toEqual({ confirmed: 8 });
    expect((await found(factors, kept)).sealedSecret).toBe(kept.sealedSecret);
  });

  test("are confirmed or begun again by concurrent calls, and never lose a confirmed secret", async () => {
    for (let round = 0; round < 4; round += 1) {
      const factor = factorOf(`user:${round}`, { sealedSecret: "old" });
      await factors.enrol(factor);
      const old = await found(factors, factor);
      const accept = () => factors.accept(old, 1);
      const enrol = () => factors.enrol({ ...factor, sealedSecret: "new" });
      const [accepted, outcome] =
        round % 2 === 0
          ? await Promise.all([accept(), enrol()])
          : (await Promise.all([enrol(), accept()])).toReversed();
      expect([accepted, outcome]).toEqual(accepted === true ? [true, "confirmed"] : [false, "enrolled"]);
      const { sealedSecret, confirmed } = await found(factors, factor);
      expect([sealedSecret, confirmed]).toEqual(accepted === true ? ["old", true] : ["new", false]);
    }
  });

  test("accept a token for a secret that was sealed again meanwhile, once, and not for another one", async () => {
    const { r } = await openStoreFixture();
    factors = new SecondFactors(r.records);
    const codes = [freshDigest(), freshDigest()];
    await factors.enrol(factorOf("user:3", { recoveryCodes: codes }));
    const resealed = async (change: object) => {
      const before = await found(factors, factorOf("user:3"));
      const [stored] = await r.records.list<object>("secondFactor", { after: null, limit: 1 });
      await r.records.put("secondFactor", stored?.id ?? "", { ...stored?.value, ...change }, { owner: "user:3" });
      return before;
    };
    for (const step of [5, 6]) {
      const before = await resealed({ sealedSecret: `again ${step}` });
      expect([await factors.accept(before, step), await factors.accept(before, step)]).toEqual([true, false]);
    }
    expect((await found(factors, factorOf("user:3"))).sealedSecret).toBe("again 6");
    const before = await resealed({ sealedSecret: "another", recoveryCodes: [codes[0], freshDigest()] });
    expect(await factors.accept(before, 9)).toBe(false);
  });

  test("are removed one by one, or all of a subject", async () => {
    for (const subject of ["user:3", "user:4"])
      for (const appName of ["field", "Field", "office"]) await factors.enrol(factorOf(subject, { appName }));
    expect(await factors.remove("user:3", "nobody")).toBe(false);
    expect(await factors.remove("user:3", "field")).toBe(true);
    expect(await factors.remove("user:3", "field")).toBe(false);
    const ofOther = [
      ["user:4", "Field"],
      ["user:4", "field"],
      ["user:4", "office"],
    ];
    expect(await keys()).toEqual([["user:3", "Field"], ["user:3", "office"], ...ofOther]);
    expect(await factors.remove("user:3", null)).toBe(true);
    expect(await factors.remove("user:3", null)).toBe(false);
    expect(await keys()).toEqual(ofOther);
    expect(await factors.enrol(factorOf("user:3"))).toBe("enrolled");
  });

  test("are removed with their subject after a new begin, a confirmation and a recovery", async () => {
    const code = freshDigest();
    const factor = factorOf("user:3", { recoveryCodes: [code] });
    await factors.enrol(factorOf("user:3"));
    await factors.enrol(factor);
    await factors.accept(await found(factors, factor), 1);
    await factors.recover(await found(factors, factor), code);
    expect(await factors.remove("user:3", null)).toBe(true);
    expect(await keys()).toEqual([]);
  });

  test("are listed by subject and app name in the order of code points, page by page", async () => {
    expect(await factors.list(null, 10)).toEqual([]);
    const given = [
      ["custom:a", "z"],
      ["user:1", "B"],
      ["user:1", "a"],
      ["user:1", "a "],
      ["user:1", "é"],
      ["user:1", "\uffff"],
      ["user:1", "\u{10000}"],
      ["user:10", "a"],
      ["user:2", "a"],
    ].map(([subject = "", appName = ""]) => factorOf(subject, { appName }));
    for (const index of [5, 0, 8, 3, 6, 2, 7, 4, 1]) await factors.enrol(given[index] as NewSecondFactor);
    const expected = given.map(pendingFactor);
    expect(await factors.list(null, 100)).toEqual(expected);
    expect(await factors.list(null, 2)).toEqual(expected.slice(0, 2));
    expect(await factors.list({ subject: "user:1", appName: "a" }, 4)).toEqual(expected.slice(3, 7));
    // No such factor exists to start after.
    expect(await factors.list({ subject: "user:1", appName: "b" }, 1)).toEqual(expected.slice(4, 5));
    expect(await factors.list({ subject: "user:2", appName: "a" }, 10)).toEqual([]);
  });

  test("of one subject have one order, however requested", async () => {
    const names = ["B", "a", "a ", "é", "\uffff"];
    for (const appName of names.toReversed()) await factors.enrol(factorOf("user:1", { appName }));
    for (const asked of [names, names.toReversed(), ["é", "B", "\uffff", "a ", "a"]])
      expect((await factors.find("user:1", asked)).map(({ appName }) => appName)).toEqual(names);
  });

  test("report a confirmation for any of many app names", async () => {
    expect(await factors.hasConfirmed("user:1")).toBe(false);
    for (let index = 100; index < 205; index += 1) {
      await factors.enrol(factorOf("user:1", { appName: `app ${index}` }));
      await factors.enrol(factorOf("user:11", { appName: `app ${index}` }));
    }
    expect(await factors.hasConfirmed("user:1")).toBe(false);
    await factors.accept(await found(factors, { subject: "user:11", appName: "app 100" }), 1);
    expect(await factors.hasConfirmed("user:11")).toBe(true);
    expect(await factors.hasConfirmed("user:1")).toBe(false);
    await factors.accept(await found(factors, { subject: "user:1", appName: "app 204" }), 1);
    expect(await factors.hasConfirmed("user:1")).toBe(true);
    expect(await factors.hasConfirmed("USER:1")).toBe(false);
  });

  test("keep hostile texts unchanged", async () => {
    for (const text of hostileTexts) {
      const factor = factorOf("user:3", { appName: text, sealedSecret: text });
      expect(await factors.enrol(factor)).toBe("enrolled");
      expect(await factors.find("user:3", [text])).toEqual([pendingFactor(factor)]);
      expect(await factors.accept(await found(factors, factor), 1)).toBe(true);
      expect(await factors.recover(await found(factors, factor), text)).toBe(false);
      expect(await factors.remove("user:3", text)).toBe(true);
    }
    expect(await keys()).toEqual([]);
  });

  test("are refused with an invalid text, which finds nothing", async () => {
    await factors.enrol(factorOf("user:4"));
    await factors.accept(await found(factors, factorOf("user:4")), 1);
    const other = await found(factors, factorOf("user:4"));
    for (const text of unstorableTexts) {
      for (const given of [{ subject: text }, { appName: text }, { sealedSecret: text }])
        await expect(factors.enrol({ ...factorOf("user:3"), ...given })).rejects.toMatchObject({ code: 307 });
      expect(await factors.find(text, [text])).toEqual([]);
      expect(await factors.find("user:3", [text])).toEqual([]);
      expect(await factors.remove(text, null)).toBe(false);
      expect(await factors.remove("user:3", text)).toBe(false);
      expect(await factors.hasConfirmed(text)).toBe(false);
      expect(await factors.recover(other, text)).toBe(false);
    }
    expect(await factors.list(null, 10)).toEqual([other]);
  });
});
