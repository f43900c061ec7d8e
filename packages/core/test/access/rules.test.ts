import {
  type Account,
  passwordAuthentication,
  type Repositories,
  ServiceError,
  type StoredObject,
} from "@sallyport/storage";
import {
  addBan,
  administrationAppName,
  administratorGuard,
  type AddBanInput,
  administrationOf,
  type AdministrationContext,
  Applications,
  applyTimedBans,
  deviceLog,
  forgetDevice,
  Gate,
  listAppRules,
  listBans,
  listDevices,
  registerDevice,
  removeBan,
  setAppRule,
  setUserDisabled,
} from "@sallyport/core";
import { type Fixture, openFixture, policy } from "../fixture.ts";

const gate = new Gate(async () => {});

/** Bans, app rules and devices at the gate, and their administration. */
const start = Date.now();
let ahead = 0;
let fixture: Fixture;
let admin: AdministrationContext;
/** Ids of the users by name. */
const users = new Map<string, string>();

beforeEach(async () => {
  ahead = 0;
  fixture = await openFixture({ sessions: { ...policy.sessions, perDevice: 5 } }, () => ahead);
  admin = administrationOf(fixture.database);
  const [staff = "", night = ""] = await fixture.insert(
    { className: "UserGroup", attributes: { Name: "staff" } },
    { className: "UserGroup", attributes: { Name: "night" } },
  );
  for (const [name, groups, administrator] of [
    ["ada", [staff, night], false],
    ["bob", [staff], false],
    ["root", [], true],
    ["boss", [], true],
  ] as const) {
    const [userId = ""] = await fixture.insert({ className: "User", attributes: { Name: name, Groups: groups } });
    users.set(name, userId);
    await fixture.r.accounts.create({ userId, loginName: name, secret: "s", administrator }, name);
  }
  await new Applications(fixture.r.records).create({ name: "other", seats: null });
});

const attemptOf = async (name: string, deviceId: string | null, appNames: readonly string[]) => {
  const found = await fixture.r.accounts.find({ realm: "database", loginName: name }, []);
  const person = {
    account: found.account as Account,
    user: found.user as StoredObject,
    linked: [],
    authenticationMethod: passwordAuthentication,
  };
  const proof = async () => person;
  return { mode: "session", userKey: name, proof, appNames, deviceId } as const;
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 0,
    (error: unknown) => (error instanceof ServiceError ? error.code : error),
  );
const logIn = async (name: string, deviceId: string | null = null, appNames: readonly string[] = ["app"]) =>
  codeOf(gate.openSession(fixture.context, await attemptOf(name, deviceId, appNames), async () => {}));
const ban = (named: { user?: string; device?: string; address?: string }, more: Partial<AddBanInput> = {}) =>
  addBan(admin, { ...named, reason: "", from: null, until: null, ...more });
type Rule = readonly ["allow" | "forbid", { user?: string; device?: string; group?: string }];
const set = (access: Rule[0] | null, named: Rule[1], more = {}) =>
  setAppRule(admin, { app: "app", access, reason: "", ...named, ...more });
const trail = async () => (await fixture.r.audit.read(0, 100)).map(({ type, outcome }) => `${type} ${outcome}`);

test.each<[string, Rule[], number]>([
  ["no rule", [], 0],
  ["a rule for everyone", [["forbid", {}]], 403],
  [
    "a group before everyone",
    [
      ["forbid", {}],
      ["allow", { group: "staff" }],
    ],
    0,
  ],
  [
    "one of several groups that forbids",
    [
      ["allow", { group: "staff" }],
      ["forbid", { group: "night" }],
    ],
    403,
  ],
  [
    "the device before a group",
    [
      ["forbid", { group: "night" }],
      ["allow", { device: "phone" }],
    ],
    0,
  ],
  [
    "the user before the device",
    [
      ["allow", { device: "phone" }],
      ["forbid", { user: "ada" }],
    ],
    403,
  ],
  [
    "the user on the device first",
    [
      ["forbid", { user: "ada" }],
      ["allow", { user: "ada", device: "phone" }],
    ],
    0,
  ],
  [
    "no rule of another device",
    [
      ["forbid", { device: "tablet" }],
      ["forbid", { user: "ada", device: "tablet" }],
    ],
    0,
  ],
  [
    "no rule of another user",
    [
      ["forbid", { user: "bob" }],
      ["forbid", { user: "bob", device: "phone" }],
    ],
    0,
  ],
])("the most specific rule decides: %s", async (_what, rules, code) => {
  expect(await logIn("ada", "phone")).toBe(0);
  const ended: number[] = [];
  for (const [access, named] of rules) ended.push((await set(access, named)).count);
  // In any order, so that a session that one rule ends may be permitted by a later one.
  expect(await logIn("ada", "phone")).toBe(code);
  if (code === 403) expect([await fixture.r.sessions.count(), ended.includes(1)]).toEqual([0, true]);
  expect(await logIn("ada", "phone", ["other"])).toBe(0);
  expect(await logIn("ada", "phone", ["other", "app"])).toBe(code);
});

test("ends exactly the sessions that a rule about a group no longer permits", async () => {
  await set("allow", { user: "bob" });
  for (const [name, device] of [
    ["ada", "phone"],
    ["ada", null],
    ["bob", "phone"],
    ["root", null],
  ] as const)
    expect(await logIn(name, device)).toBe(0);
  expect(await logIn("ada", "phone", ["other"])).toBe(0);
  const rehearsed = await set("forbid", { group: "staff" }, { rehearse: true });
  expect(rehearsed.count).toBe(2);
  expect(rehearsed.sessions).toEqual(
    expect.arrayContaining(
      ["phone", null].map((deviceId) => ({
        userId: users.get("ada"),
        userName: "ada",
        deviceId,
        appNames: ["app"],
        openedAt: expect.any(Number),
      })),
    ),
  );
  expect([await fixture.r.sessions.count(), await listAppRules(admin, { after: null, limit: 10 })]).toMatchObject([
    5,
    [{ userName: "bob", rules: [{ app: "app", access: "allow" }] }],
  ]);
  expect(await set("forbid", { group: "staff" })).toEqual(rehearsed);
  expect(await fixture.r.sessions.count()).toBe(3);
  // Without the exception, the group decides about bob, too.
  expect((await set(null, { user: "bob" })).count).toBe(1);
  expect([await logIn("bob"), await logIn("root")]).toEqual([403, 0]);
  expect(await codeOf(set(null, { user: "bob" }))).toBe(304);
});

test.each<[string, { user?: string; device?: string }, number[]]>([
  ["a user", { user: "ada" }, [318, 318, 0]],
  ["a device", { device: "phone" }, [0, 318, 318]],
  ["a user on a device", { user: "ada", device: "phone" }, [0, 318, 0]],
])("bans %s from now on, and until the ban is removed", async (_what, named, codes) => {
  const logIns = async () => [await logIn("ada"), await logIn("ada", "phone"), await logIn("bob", "phone")];
  expect(await logIns()).toEqual([0, 0, 0]);
  expect((await ban(named, { reason: "lost" })).count).toBe(codes.filter((code) => code !== 0).length);
  expect(await logIns()).toEqual(codes);
  expect(await listBans(admin, { after: null, limit: 10 })).toMatchObject([{ reason: "lost", state: "inForce" }]);
  await removeBan(admin, named);
  expect([await logIns(), await codeOf(removeBan(admin, named))]).toEqual([[0, 0, 0], 304]);
  expect(await trail()).toContain("login.refused 318");
  expect(await trail()).toEqual(expect.arrayContaining(["ban.added 0", "ban.removed 0"]));
});

test.each<[string, Parameters<typeof ban>[0], { from?: number; code: number }]>([
  ["the user", { user: "boss" }, { code: 307 }],
  ["the user, later", { user: "boss" }, { from: 3_600_000, code: 307 }],
  ["the device of the session", { device: "phone" }, { code: 307 }],
  ["the device of the session, later", { device: "phone" }, { from: 3_600_000, code: 0 }],
  ["another device", { device: "tablet" }, { code: 0 }],
  ["the user on the device of the session", { user: "boss", device: "phone" }, { code: 307 }],
  ["the user on another device", { user: "boss", device: "tablet" }, { code: 0 }],
  ["the address of the log-in", { address: "192.0.2.1" }, { code: 307 }],
  ["the address of the request", { address: "198.51.100.7" }, { code: 307 }],
  ["the address of the request, later", { address: "198.51.100.7" }, { from: 3_600_000, code: 307 }],
  ["another address", { address: "203.0.113.5" }, { code: 0 }],
])("no ban takes the access of the administrator who adds it: %s", async (_what, named, { from = 0, code }) => {
  expect(await logIn("boss", "phone")).toBe(0);
  const [session] = await fixture.r.sessions.list({ after: null, limit: 1 });
  const own = { userId: users.get("boss") ?? "", network: "198.51.100.7", session: session?.digest ?? "" };
  const add = (rehearse: boolean) => codeOf(ban(named, { own, rehearse, from: start + from }));
  expect([await add(true), await add(false), await fixture.r.sessions.count()]).toEqual([code, code, 1]);
});

test("begins and ends a timed ban on time", async () => {
  const hour = 3_600_000;
  await ban({ user: "ada" }, { from: start + hour, until: start + 2 * hour });
  const state = async () => (await listBans(admin, { after: null, limit: 10 })).map((each) => each.state);
  await logIn("ada");
  await logIn("bob");
  expect([await applyTimedBans(fixture.database, 10), await fixture.r.sessions.count()]).toEqual([1, 2]);
  expect([await applyTimedBans(fixture.database, 10), await state(), await logIn("bob")]).toEqual([0, ["planned"], 0]);
  const before = await attemptOf("ada", null, ["app"]);
  ahead = hour + 1_000;
  await logIn("ada");
  // The clock of the process still shows an earlier time.
  expect([await applyTimedBans(fixture.database, 10), await logIn("ada")]).toEqual([1, 318]);
  expect(await codeOf(gate.openSession(fixture.context, before, async () => {}))).toBe(318);
  expect((await fixture.r.audit.read(0, 100)).map(({ type }) => type)).toContain("ban.begun");
  expect(await fixture.r.sessions.count()).toBe(0);
  ahead = 2 * hour + 1_000;
  expect([await applyTimedBans(fixture.database, 10), await state()]).toEqual([1, []]);
  expect(await logIn("ada")).toBe(0);
});

test("refuses bans without a subject, with a wrong time, or with too long a reason", async () => {
  expect([
    await codeOf(ban({})),
    await codeOf(ban({ user: "unknown" })),
    await codeOf(ban({ device: " " })),
    await codeOf(ban({ user: "ada" }, { until: start - 1 })),
    await codeOf(ban({ user: "ada" }, { from: start + 2_000_000, until: start + 1_000_000 })),
    await codeOf(ban({ user: "ada" }, { reason: "x".repeat(501) })),
    await codeOf(ban({ user: "ada" }, { reason: "\0" })),
    await codeOf(set("forbid", { user: "ada", group: "staff" })),
    await codeOf(set("forbid", { group: "unknown" })),
    await codeOf(set("forbid", {}, { app: "unknown" })),
  ]).toEqual([307, 304, 307, 307, 307, 307, 307, 307, 304, 208]);
  expect(await trail()).toEqual([]);
});

test("never excludes the last administrator", async () => {
  await ban({ user: "root" }, { from: start + 3_600_000 });
  expect([await codeOf(ban({ user: "boss" }, { rehearse: true })), await codeOf(ban({ user: "boss" }))]).toEqual([
    307, 307,
  ]);
  // Only the app name of administration matters, whether it exists or not.
  await set("forbid", {});
  await setAppRule(admin, { app: "other", access: "forbid", reason: "" });
  const app = administrationAppName;
  await new Applications(fixture.r.records).create({ name: app, seats: null });
  const forbid = (user?: string, access: "allow" | "forbid" | null = "forbid") =>
    codeOf(setAppRule(admin, { app, access, ...(user === undefined ? {} : { user }), reason: "" }));
  expect([await forbid(), await forbid("boss"), await forbid("root"), await forbid("boss", "allow")]).toEqual([
    307, 307, 0, 0,
  ]);
  expect([await forbid(), await forbid("boss", null)]).toEqual([0, 307]);
  expect([await logIn("boss", null, [app]), await logIn("ada", null, [app])]).toEqual([0, 403]);
  await removeBan(admin, { user: "root" });
  await ban({ user: "boss", device: "phone" });
  expect(await codeOf(ban({ user: "boss" }))).toBe(307);
});

test("keeps an administrator who can log in, however the others lose access", async () => {
  const disable = (name: string, disabled = true) => codeOf(setUserDisabled(admin, { name, disabled }));
  await ban({ user: "root" }, { from: start + 3_600_000 });
  expect([await disable("boss"), await disable("root"), await disable("root", false)]).toEqual([307, 0, 0]);
  const boss = users.get("boss") ?? "";
  const { database } = fixture;
  const refusal = new ServiceError(718);
  for (const users of [[boss], Array.from({ length: 60 }, () => boss)]) {
    const deletion = database.storage.transaction((r) =>
      administratorGuard.keepAdministrator(
        { r, database },
        { users, change: () => r.accounts.remove([boss]), refusal },
      ),
    );
    expect(await codeOf(deletion)).toBe(718);
  }
  await removeBan(admin, { user: "root" });
  for (const race of [
    () => [disable("boss"), disable("root")],
    () => [disable("boss"), codeOf(ban({ user: "root" }))],
    () => [codeOf(ban({ user: "boss" })), disable("root")],
  ]) {
    expect((await Promise.all(race())).toSorted()).toEqual([0, 307]);
    for (const name of ["boss", "root"]) {
      await disable(name, false);
      await codeOf(removeBan(admin, { user: name }));
    }
  }
});

test("knows the devices of log-ins, a bounded number of each user", async () => {
  const database = Object.create(fixture.database, {
    policy: { value: { ...fixture.database.policy, devices: { policy: "open", perUser: 2 } } },
  }) as typeof fixture.database;
  const note = async (deviceId: string, says = {}) => {
    ahead += 1_000;
    await deviceLog(database).note(database, { userId: users.get("ada") ?? "", deviceId, says });
  };
  const known = async () => {
    const devices = await listDevices(admin, { user: "ada", after: null, limit: 10 });
    return devices.map(({ deviceId, registered }) => `${deviceId} ${registered}`).toSorted();
  };
  await registerDevice(admin, { user: "ada", device: "safe" });
  await note("phone", { device: "Phone 3", systemVersion: "x".repeat(1_000), "bad\0": "text" });
  expect(await listDevices(admin, { after: null, limit: 10 })).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ userName: "ada", says: { device: "Phone 3", systemVersion: "x".repeat(200) } }),
      expect.objectContaining({ deviceId: "safe", registered: true, lastSeen: null }),
    ]),
  );
  await note("tablet");
  await note("watch");
  expect(await known()).toEqual(["safe true", "watch false"]);
  await note("safe", { device: "Safe" });
  expect(await known()).toEqual(["safe true", "watch false"]);
  expect(await forgetDevice(admin, { user: "ada", device: "watch" })).toBe(0);
  expect(await codeOf(forgetDevice(admin, { user: "ada", device: "watch" }))).toBe(304);
});

test("admits registered devices only, where the database says so", async () => {
  const devices = { policy: "registered", perUser: 2 } as const;
  fixture = { ...fixture, database: Object.create(fixture.database, { policy: { value: { ...policy, devices } } }) };
  fixture = { ...fixture, context: { ...fixture.context, database: fixture.database } };
  admin = administrationOf(fixture.database);
  expect([await logIn("ada"), await logIn("ada", "phone")]).toEqual([318, 318]);
  await registerDevice(admin, { user: "ada", device: "phone" });
  await registerDevice(admin, { device: "kiosk" });
  expect([
    await logIn("ada", "phone"),
    await logIn("bob", "phone"),
    await logIn("bob", "kiosk"),
    await logIn("ada", "kiosk"),
  ]).toEqual([0, 318, 0, 0]);
  expect(await forgetDevice(admin, { device: "kiosk" })).toBe(2);
  expect([await logIn("bob", "kiosk"), await fixture.r.sessions.count()]).toEqual([318, 1]);
});

test("checks the rules again that change during a proof, and reads none without any", async () => {
  const reads: string[] = [];
  const records = Object.assign(Object.create(fixture.r.records) as Repositories["records"], {
    get: (kind: string, ids: readonly string[]) => {
      reads.push(kind);
      return fixture.r.records.get(kind, ids);
    },
  });
  const context = { ...fixture.context, r: { ...fixture.r, records } };
  const during = async (work: () => Promise<unknown>) => {
    reads.length = 0;
    return codeOf(gate.openSession(context, await attemptOf("ada", "phone", ["app"]), work));
  };
  expect([await during(async () => {}), reads]).toEqual([0, ["application"]]);
  expect([await during(() => ban({ user: "ada" })), reads]).toEqual([318, ["application", "ban", "appRules"]]);
  expect(await during(() => removeBan(admin, { user: "ada" }))).toBe(0);
  expect(await during(() => set("allow", { user: "ada" }))).toBe(0);
  expect(await during(() => set("forbid", { user: "ada" }))).toBe(403);
});
