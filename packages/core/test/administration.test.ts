import {
  allPages,
  explained,
  nextSteps,
  ofDatabase,
  passwordAuthentication,
  type RecordRepository,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import {
  administrationOf,
  type AdministrationContext,
  discardingWrites,
  type CreateUserInput,
  listCustomUsers,
  listSecondFactors,
  listUsers,
  maintenanceError,
  mapCustomUser,
  type PasswordHasher,
  PasswordPolicy,
  recordRefusal,
  type RefusedRequest,
  removeCustomUser,
  SecondFactors,
  setAppKeyEnabled,
  setCustomUserDisabled,
  setMaintenance,
  setUserDisabled,
  setUserEmail,
  takeSecondFactors,
  createUser,
  setUserPassword,
  addCustomUser,
  setCustomPassword,
  createAppKey,
  createApplication,
  setApplicationSecondFactor,
  explainRefusal,
  type FactorSecrets,
  type Uses,
} from "../src/index.ts";
import { digests, type Fixture, openFixture, policy, random, using } from "./fixture.ts";

const hasher: PasswordHasher = {
  hash: async (password) => `hash of ${password}`,
  verify: async (secret, password) => secret === `hash of ${password}`,
  isOutdated: () => false,
};
const passwordPolicy = new PasswordPolicy(hasher, digests, { has: () => false });
const services = {
  hasher,
  passwordPolicy,
  random,
  settings: { passwordHistory: 3, customPasswordMinLength: 4 },
  factorSecrets: { usable: true } as FactorSecrets,
};

const ada: CreateUserInput = {
  name: "Ada",
  password: "a word of my own",
  rights: null,
  email: null,
  groups: [],
  createsGroups: false,
};

let fixture: Fixture;
let context: AdministrationContext & Uses<typeof services>;
beforeEach(async () => {
  fixture = await openFixture();
  context = { ...administrationOf(fixture.database), services };
});

const audited = async () => (await fixture.r.audit.read(0, 1_000)).map(({ type }) => type);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  );

async function openSession(userId: string, name: string): Promise<void> {
  const { account } = await fixture.r.accounts.find({ id: userId }, []);
  await fixture.r.sessions.open(
    {
      digest: digests.sha256(name),
      mode: "session",
      appKeyId: fixture.context.appKey.id,
      userId,
      secretVersion: account?.secretVersion ?? 0,
      appNames: [],
      deviceId: null,
      authenticationMethod: passwordAuthentication,
    },
    policy.sessions,
  );
}

describe("user administration", () => {
  test("creates users with their groups, or nothing", async () => {
    expect(await refusal(createUser(context, { ...ada, groups: ["Sales"] }))).toBe(304);
    expect(await refusal(createUser(context, { ...ada, password: "short" }))).toBe(320);
    expect(await refusal(createUser(context, { ...ada, name: " " }))).toBe(307);
    expect(await refusal(createUser(context, { ...ada, email: "ada" }))).toBe(307);
    expect([await audited(), await listUsers(context, { after: null, limit: 10 })]).toEqual([[], []]);
    await createUser(context, { ...ada, groups: ["Sales"], createsGroups: true });
    expect(await refusal(createUser(context, { ...ada, name: "ADA" }))).toBe(307);
    expect(await listUsers(context, { after: null, limit: 10 })).toEqual([
      expect.objectContaining({ loginName: "Ada", administrator: false, disabled: false, groups: ["Sales"] }),
    ]);
    expect(await audited()).toEqual(["account.created"]);
  });

  test("disables users and ends their sessions, and audits changes only", async () => {
    const userId = await createUser(context, ada);
    await openSession(userId, "one");
    expect(await refusal(setUserDisabled(context, { name: "ADA", disabled: true }))).toBe(304);
    expect(await setUserDisabled(context, { name: "Ada", disabled: true })).toBe(1);
    expect(await setUserDisabled(context, { name: "Ada", disabled: false })).toBe(0);
    expect(await refusal(setUserEmail(context, { name: "Ada", email: "ada" }))).toBe(307);
    await setUserEmail(context, { name: "Ada", email: "ada@example.com" });
    expect(await audited()).toEqual(["account.created", "account.disabled", "account.enabled", "account.changed"]);
  });

  test("sets a password, which ends the user's sessions", async () => {
    const userId = await createUser(context, ada);
    await openSession(userId, "one");
    expect(await refusal(setUserPassword(context, { name: "Ada", password: "short" }))).toBe(320);
    expect(await refusal(setUserPassword(context, { name: "Bob", password: "quite another word" }))).toBe(304);
    expect(await fixture.r.sessions.count()).toBe(1);
    await setUserPassword(context, { name: "Ada", password: "quite another word" });
    const { account } = await fixture.r.accounts.find({ id: userId }, []);
    expect([account?.secret, await fixture.r.sessions.count()]).toEqual(["hash of quite another word", 0]);
    expect(await audited()).toEqual(["account.created", "password.changed"]);
  });

  test("refuses a password change that a concurrent change overtook", async () => {
    const userId = await createUser(context, ada);
    const slow = {
      ...hasher,
      hash: async (password: string) => {
        await fixture.r.accounts.setSecret(userId, "of another", 1);
        return hasher.hash(password);
      },
    };
    const { account } = await fixture.r.accounts.find({ id: userId }, []);
    expect(account?.secretVersion).toBe(1);
    expect(
      await refusal(setUserPassword(using(context, { hasher: slow }), { name: "Ada", password: "quite another word" })),
    ).toBe(713);
    expect(await audited()).toEqual(["account.created"]);
  });
});

describe("custom user administration", () => {
  beforeEach(() => createUser(context, ada));
  const zoe = { name: "Zoe", password: "word", user: "Ada", email: null };

  test("adds, maps, disables and removes custom users", async () => {
    expect(await refusal(addCustomUser(context, { ...zoe, user: "Bob" }))).toBe(304);
    expect(await refusal(addCustomUser(context, { ...zoe, password: "abc" }))).toBe(320);
    await addCustomUser(context, zoe);
    expect(await refusal(addCustomUser(context, { ...zoe, name: "ZOE" }))).toBe(307);
    expect(await refusal(mapCustomUser(context, { name: "Zoe", user: "Bob" }))).toBe(304);
    await createUser(context, { ...ada, name: "Bob" });
    await mapCustomUser(context, { name: "Zoe", user: "Bob" });
    const listed = await allPages(
      (part) => listCustomUsers(context, part),
      ({ loginName }) => loginName,
    );
    expect(listed).toEqual([expect.objectContaining({ loginName: "Zoe", mappedUserName: "Bob" })]);
    await setCustomUserDisabled(context, { name: "Zoe", disabled: true });
    await removeCustomUser(context, "Zoe");
    expect(await refusal(removeCustomUser(context, "Zoe"))).toBe(304);
    expect((await audited()).filter((type) => type.startsWith("customUser"))).toEqual([
      "customUser.created",
      "customUser.changed",
      "customUser.disabled",
      "customUser.removed",
    ]);
  });

  test("sets a password", async () => {
    await addCustomUser(context, zoe);
    expect(await refusal(setCustomPassword(context, { name: "Zoe", password: "abc" }))).toBe(320);
    await setCustomPassword(context, { name: "Zoe", password: "another" });
    const { account } = await fixture.r.accounts.find({ realm: "custom", loginName: "Zoe" }, []);
    expect([account?.secret, (await audited()).at(-1)]).toEqual(["hash of another", "customPassword.changed"]);
  });

  test("removes second factors of users and custom users", async () => {
    const id = await addCustomUser(context, zoe);
    const factors = new SecondFactors(fixture.r.records);
    await factors.enrol({ subject: `custom:${id}`, appName: "app", sealedSecret: "s", recoveryCodes: [] });
    expect(await listSecondFactors(context, { after: null, limit: 10 })).toEqual([
      expect.objectContaining({ subject: `custom:${id}`, ownerName: "Zoe" }),
    ]);
    expect(await refusal(takeSecondFactors(context, { of: "user", name: "Ada", appName: null }))).toBe(304);
    expect(await refusal(takeSecondFactors(context, { of: "customUser", name: "Zoe", appName: "other" }))).toBe(304);
    await takeSecondFactors(context, { of: "customUser", name: "Zoe", appName: null });
    expect(await listSecondFactors(context, { after: null, limit: 10 })).toEqual([]);
    expect((await audited()).at(-1)).toBe("secondFactor.removed");
  });
});

describe("app names and app keys", () => {
  const tablet = { name: "tablet", appNames: null, origins: [], returnAddresses: [], key: null };

  test("are created once, and keys for existing app names only", async () => {
    const key = await createAppKey(context, { ...tablet, appNames: ["app"] });
    expect((await fixture.r.appKeys.list(null, 10)).map(({ name }) => name)).toEqual(["key", "tablet"]);
    for (const [change, code] of [
      [{}, 307],
      [{ name: "other", key }, 307],
      [{ name: " " }, 307],
      [{ name: "other", key: "a b c" }, 307],
      [{ name: "other", returnAddresses: ["javascript:alert(1)"] }, 307],
      [{ name: "other", appNames: ["app", "nowhere"] }, 208],
    ] as const)
      expect(await refusal(createAppKey(context, { ...tablet, ...change }))).toBe(code);
    expect(await refusal(setAppKeyEnabled(context, { name: "other", enabled: false }))).toBe(304);
    await setAppKeyEnabled(context, { name: "tablet", enabled: false });
    const events = await fixture.r.audit.read(0, 10);
    const id = (await fixture.r.appKeys.list("key", 1))[0]?.id;
    expect(events.map(({ type, appKeyId }) => [type, appKeyId])).toEqual([
      ["appKey.created", id],
      ["appKey.disabled", id],
    ]);
  });

  test("announce a maintenance with its message and its end", async () => {
    const maintenance = async () => {
      const { code, retryAfter, notice } = await maintenanceError(fixture.database);
      return [code, retryAfter, notice];
    };
    for (const message of [" ", "a\nb", "x".repeat(501)])
      expect(await refusal(setMaintenance(context, { message, endsAt: null }))).toBe(307);
    await setMaintenance(context, { message: null, endsAt: null });
    expect(await maintenance()).toEqual([706, 60, undefined]);
    const now = await fixture.database.storage.now();
    await setMaintenance(context, { message: "We are moving.", endsAt: now + 90_000 });
    expect(await maintenance()).toEqual([706, 90, "We are moving."]);
    await setMaintenance(context, { message: "We have not finished.", endsAt: now - 1 });
    expect(await maintenance()).toEqual([706, 60, "We have not finished."]);
    expect((await fixture.r.admission.admit(ofDatabase)).maintenance).toBe(true);
    await setMaintenance(context, null);
    expect(await maintenance()).toEqual([706, 60, undefined]);
    expect((await fixture.r.admission.admit(ofDatabase)).maintenance).toBe(false);
    const started = Array<string>(3).fill("maintenance.started");
    expect(await audited()).toEqual([...started, "maintenance.ended"]);
  });

  test("require second factors only with a master key", async () => {
    const office = { name: "office", seats: null, secondFactor: "forced" } as const;
    const without = using(context, { factorSecrets: { usable: false } as FactorSecrets });
    expect(await refusal(createApplication(without, office))).toBe(705);
    await createApplication(without, { ...office, secondFactor: "off" });
    expect(await refusal(createApplication(context, office))).toBe(307);
    expect(await refusal(setApplicationSecondFactor(without, office))).toBe(705);
    expect(await refusal(setApplicationSecondFactor(context, { ...office, name: "nowhere" }))).toBe(304);
    await setApplicationSecondFactor(context, office);
    expect(await audited()).toEqual(["app.created", "appSecondFactor.required"]);
  });
});

describe("explanations of refusals", () => {
  const week = 7 * 86_400_000;
  const explanations = { retention: week, perNetwork: 4 };
  const refused = (requestId: string, more: Partial<RefusedRequest> = {}): RefusedRequest => ({
    requestId,
    network: "192.0.2.1",
    method: "POST",
    route: "/v1/login",
    check: "operation",
    appKey: "key",
    mode: null,
    accountId: null,
    error: new ServiceError(302),
    items: [],
    fields: () => new Set(["device"]),
    at: 0,
    ...more,
  });
  const foundOf = async (requestId: string) =>
    (await explainRefusal(fixture, requestId))?.failure?.steps.at(-1)?.found ?? null;

  test("a network keeps its newest, and takes no room of others", async () => {
    fixture = await openFixture({ explanations });
    const { database } = fixture;
    await recordRefusal(database, refused("other", { network: "192.0.2.2" }), 0);
    for (let n = 1; n <= 9; n += 1) await recordRefusal(database, refused(`own-${n}`), 0);
    expect(await foundOf("other")).not.toBeNull();
    const kept = await Promise.all(Array.from({ length: 9 }, (_, n) => foundOf(`own-${n + 1}`)));
    expect(kept.map((each) => each !== null)).toEqual([...Array(5).fill(false), ...Array(4).fill(true)]);
  });

  test("the oldest of all make room if the database is full", async () => {
    fixture = await openFixture({ explanations });
    const { database, r } = fixture;
    await recordRefusal(database, refused("old"), 0);
    let isFull = true;
    const records: RecordRepository = {
      ...r.records,
      putWithin: (...args) => {
        const outcome = isFull ? "full" : r.records.putWithin(...args);
        isFull = false;
        return Promise.resolve(outcome);
      },
    };
    const storage = { ...database.storage, repositories: { ...r, records } };
    const full = Object.create(database, { storage: { value: storage } }) as typeof database;
    expect(await recordRefusal(full, refused("new"), 0)).toBe("stored");
    expect([await foundOf("old"), await foundOf("new")]).toEqual([null, expect.any(String)]);
  });

  test("the first refusal with a request id stays, because clients can choose the id", async () => {
    fixture = await openFixture({ explanations });
    expect(await recordRefusal(fixture.database, refused("chosen"), 0)).toBe("stored");
    const other = refused("chosen", { error: new ServiceError(208), network: "192.0.2.2" });
    expect(await recordRefusal(fixture.database, other, 0)).toBe("exists");
    expect((await explainRefusal(fixture, "chosen"))?.failure).toMatchObject({
      code: 302,
      nextSteps: nextSteps(302),
    });
  });

  test("are kept for the retention by the storage's clock, and state the time of the response", async () => {
    let ahead = 0;
    fixture = await openFixture({ explanations }, () => ahead);
    const before = Date.now();
    await recordRefusal(fixture.database, refused("timed", { at: 1_000 }), 31_000);
    expect((await explainRefusal(fixture, "timed"))?.at).toBeLessThan(before - 29_000);
    ahead = week - 60_000;
    expect(await explainRefusal(fixture, "timed")).not.toBeNull();
    ahead = week + 1;
    expect(await explainRefusal(fixture, "timed")).toBeNull();
  });

  test("mask quoted texts, and names that are not fields, classes or attributes", async () => {
    fixture = await openFixture({ explanations });
    const detail = 'at /device/0/hunter2/Name: There is no "hunter2".';
    await recordRefusal(fixture.database, refused("masked", { error: new ServiceError(307, { detail }) }), 0);
    expect(await foundOf("masked")).toBe('No: at /device/0/…/Name: There is no "…".');
  });

  test("contain what checks noted, in the order of the checks, and survive a failed look-up", async () => {
    fixture = await openFixture({ explanations });
    const inner = explained(new ServiceError(340, { detail: "hunter2" }), {
      asked: "Inner?",
      found: "No.",
      hidesDetail: true,
    });
    const outer = explained(inner, { asked: "Outer?", found: "Yes." }, async () => {
      throw new Error("The database is down.");
    });
    const wrapped = new ServiceError(340, { detail: "hunter2", cause: outer });
    await recordRefusal(fixture.database, refused("noted", { error: wrapped }), 0);
    const steps = (await explainRefusal(fixture, "noted"))?.failure?.steps ?? [];
    expect(steps.slice(-2)).toEqual([
      { asked: "Outer?", found: "Yes." },
      { asked: "Inner?", found: "No." },
    ]);
    expect(JSON.stringify(steps)).not.toContain("hunter2");
  });

  test("look-ups that write leave nothing behind", async () => {
    const work = async (r: Repositories) => {
      await r.records.put("example", "1", 1);
      return (await r.records.get("example", ["1"])).length;
    };
    expect(await discardingWrites(fixture.database.storage, work)).toBe(1);
    expect(await fixture.r.records.get("example", ["1"])).toEqual([]);
    const failure = new ServiceError(704);
    await expect(discardingWrites(fixture.database.storage, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});
