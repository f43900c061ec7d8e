import {
  CheckSecondFactors,
  type Claim,
  FactorProofs,
  FactorSecrets,
  Gate,
  type IdentityLinkRecord,
  type KeyWrapping,
  passwordEntrance,
  type Person,
  ServiceError,
  type ShownFactor,
  type StoredObject,
  type TimeTokens,
  Applications,
  type NewSecondFactor,
  SecondFactors,
} from "../src/index.ts";
import { digests, type Fixture, openFixture, policy, random } from "./fixture.ts";

function linkNamed(id: string, { shared }: { readonly shared: boolean }): IdentityLinkRecord {
  const identity = { provider: "google", issuer: "https://issuer.example", subject: id } as const;
  return { id, born: 1, value: { ...identity, id, userId: "1", shared, email: null, displayName: null } };
}

/** The token of a step is its number; what else a real one does is looked at where it is made. */
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
let person: Person;

const subject = () => `user:${person.account.userId}`;

beforeEach(async () => {
  offset = 0;
  fixture = await openFixture({}, () => offset);
  const [userId] = await fixture.insert({ className: "User", attributes: { Name: "u" } });
  await fixture.r.accounts.create({ userId: userId as string, loginName: "u", secret: "s", administrator: false }, "u");
  const { account, user } = await fixture.r.accounts.find({ realm: "database", loginName: "u" }, []);
  person = {
    account: account as Person["account"],
    user: user as StoredObject,
    linked: [],
    entrance: passwordEntrance,
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
  const [begun] = await factors.find(factor.subject, [factor.appName]);
  if (begun === undefined || !(await factors.accept(begun, 0))) throw new Error("The factor was not confirmed.");
}

function enter(secondFactor?: ShownFactor, more: Partial<Claim> = {}): Promise<number> {
  const claim: Claim = {
    mode: "session",
    userKey: "u",
    prepareProof: async () => async () => person,
    appNames: ["may"],
    deviceId: null,
    ...(secondFactor && { secondFactor }),
    ...more,
  };
  return gate
    .enter(fixture.context, claim, async () => {})
    .then(
      () => 0,
      (error: unknown) => (error instanceof ServiceError ? error.code : 799),
    );
}

/** Moves the storage's clock to so many milliseconds behind the beginning of the next step; the number of that step. */
async function moveTo(behind: number): Promise<number> {
  const now = await fixture.database.storage.now();
  const step = Math.floor(now / 30_000) + 10;
  offset += step * 30_000 + behind - now;
  return step;
}

const shown = (step: number, secret = "SECRET") => ({ token: `${secret} ${step}` });

test("tokens are judged by the storage's clock, one step early or late, to the edges of the steps", async () => {
  await confirmed("may");
  const early = await moveTo(1_000);
  expect([await enter(shown(early + 2)), await enter(shown(early + 1))]).toEqual([342, 0]);
  const late = await moveTo(20_000);
  expect([
    await enter(shown(late - 2)),
    await enter(shown(late - 1)),
    await enter(shown(late)),
    await enter(shown(late)),
  ]).toEqual([342, 0, 0, 342]);
  // What was accepted is behind, however the clock moves.
  offset -= 30_000;
  expect([await enter(shown(late - 1)), await enter(shown(late))]).toEqual([342, 342]);
});

test("a log-in that takes a while is judged by when its token was given", async () => {
  await confirmed("may");
  const step = await moveTo(0);
  const at = await fixture.database.storage.now();
  offset += 600_000;
  expect([await enter(shown(step)), await enter({ ...shown(step), at }), await enter({ ...shown(step), at })]).toEqual([
    342, 0, 342,
  ]);
});

test("wrong tokens count as failures, and whoever is locked out hears of nothing else; missing ones do not count", async () => {
  await confirmed("may");
  const step = await moveTo(0);
  for (let times = 0; times < 10; times += 1)
    expect([await enter(), await enter(undefined, { appNames: ["must"] })]).toEqual([341, 340]);
  for (let times = 0; times < policy.throttle.user.freeFailures; times += 1)
    expect(await enter({ token: "wrong" })).toBe(342);
  expect([await enter(shown(step)), await enter(), await enter({ token: "wrong" })]).toEqual([302, 302, 302]);
  offset += 60_000;
  expect(await enter(shown(step + 2))).toBe(0);
});

test("a token is not spent when the session is not opened for another reason", async () => {
  await confirmed("may");
  const step = await moveTo(0);
  const failing = { alongside: () => Promise.reject(new ServiceError(324)) };
  expect([await enter(shown(step), failing), await enter(shown(step)), await enter(shown(step))]).toEqual([
    324, 0, 342,
  ]);
  const { r } = fixture;
  const [factor] = await new SecondFactors(r.records).find(subject(), ["may"]);
  expect(factor?.lastStep).toBe(step);
  expect([
    await enter({ token: "abcd efgh ijkl mnop" }, failing),
    await enter({ token: "abcd efgh ijkl mnop" }),
    await enter({ token: "abcd efgh ijkl mnop" }),
  ]).toEqual([324, 0, 342]);
});

test("every app name that asks is asked, and all or none of the tokens are spent", async () => {
  await confirmed("may", "ONE");
  await confirmed("must", "OTHER");
  const step = await moveTo(0);
  const both = { appNames: ["must", "app", "may"] };
  expect([
    await enter(shown(step, "ONE"), both),
    await enter({ token: `ONE ${step},OTHER ${step + 5}` }, both),
  ]).toEqual([342, 342]);
  expect([
    await enter({ token: `OTHER ${step},ONE ${step}` }, both),
    await enter({ token: `OTHER ${step},ONE ${step}` }, both),
  ]).toEqual([0, 342]);
});

test("each of those who share a user has a factor of his own", async () => {
  await confirmed("may");
  const own = person;
  person = { ...own, entrance: { kind: "provider", link: linkNamed("l", { shared: false }) } };
  expect(await enter()).toBe(341);
  person = { ...own, entrance: { kind: "provider", link: linkNamed("l", { shared: true }) } };
  expect([await enter(), await enter(undefined, { appNames: ["must"] })]).toEqual([0, 340]);
  person = { ...own, entrance: { kind: "custom", accountId: "c", secretVersion: 1 } };
  expect(await enter()).toBe(0);
});

test("a secret in the row of somebody else, or for another app name, opens nothing", async () => {
  const sealedSecret = secrets.seal({ subject: "user:other", appName: "may" }, "SECRET");
  const factor = { subject: subject(), appName: "may", sealedSecret, recoveryCodes: [] };
  await confirm(factor);
  expect(await enter(shown(await moveTo(0)))).toBe(705);
});

test("whoever may only set up a factor is let into no app, and takes no device's place", async () => {
  const { r } = fixture;
  expect(await enter(undefined, { deviceId: "tablet" })).toBe(0);
  expect([
    await enter({ token: null, enrol: true }, { appNames: ["must"], deviceId: "tablet" }),
    await r.sessions.count(),
  ]).toEqual([0, 2]);
  // Of those who need none it is an ordinary session.
  expect([await enter({ token: null, enrol: true }, { deviceId: "tablet" }), await r.sessions.count()]).toEqual([0, 2]);
});
