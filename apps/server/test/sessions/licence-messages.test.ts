import { setTimeout } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import type { LogInMode } from "@sallyport/client";
import {
  administrationOf,
  Applications,
  type Database,
  licenceMessages,
  type NewApplication,
  setUserDisabled,
} from "@sallyport/core";
import { type LicenceMessage, LicenceReceiver } from "@sallyport/testing/traps";
import type { RunningServer } from "../../src/index.ts";
import { callIn, checkSessionIn, logOutIn, tryLogIn } from "../client.ts";
import { messageOf } from "../configuration-file.ts";
import { onEngines, testedEngines, withoutLockout } from "../engines.ts";
import { endpoints } from "../log-in-endpoints/log-in-endpoint.ts";
import { createTestUser } from "../log-in-endpoints/test-user.ts";
import { testedModes } from "../modes.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { attempt, logInWith } from "../second-factor-client.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";
import { newUser } from "../new-user.ts";
import { tuned } from "../test-environment.ts";

/** Waiting messages and counts are sent soon. */
const soon = tuned({ licences: { poll: 100, count: 1_000 } });

/** Requests about the seats of one server. */
function seatsOf(server: () => RunningServer) {
  const r = () => repositoriesOf(server());
  return {
    create: async (application: Omit<NewApplication, "name"> = { seats: 5 }): Promise<string> => {
      const name = `app ${randomUUID()}`;
      await new Applications(r().records).create({ name, ...application });
      return name;
    },
    open: (mode: LogInMode, appNames: readonly string[], device?: { deviceId: string }) =>
      logInWith(server(), {
        mode,
        user: "demo",
        password: "demo",
        appNames,
        ...(device === undefined ? {} : { device }),
      }),
    change: async (session: Parameters<typeof callIn>[1], action: "reserve" | "release", appName: string) =>
      (await callIn(server(), session, `/v1/license/${action}`, { method: "POST", body: { appNames: [appName] } }))
        .code,
    taken: (name: string) => r().sessions.count({ name, kind: "concurrent" }),
    /** Waiting messages about an app name. */
    waiting: async (appName: string) =>
      (await r().records.list(licenceMessages, { after: null, limit: 1_000 })).filter(
        ({ value }) => value.type !== "seats.counted" && value.appNames.includes(appName),
      ),
  };
}

const shortOf = ({ type, data }: LicenceMessage) => [type, ...data.seats.map(({ taken }) => taken)];

function backgroundSuite(server: () => RunningServer, receiver: () => LicenceReceiver): void {
  const seats = seatsOf(server);
  const afterwards = (appName: string, count: number) =>
    receiver().until(() => {
      const found = receiver().about(appName);
      return found.length < count ? undefined : found;
    });

  test.each(testedModes)("tell each change of a session, in mode %s", async (mode) => {
    const [app, other] = [await seats.create(), await seats.create({ seats: null, seatKind: "user" })];
    const session = await seats.open(mode, [app], { deviceId: "the phone of demo" });
    await afterwards(app, 1);
    expect(await seats.change(session, "reserve", other)).toBe("0");
    await afterwards(other, 1);
    expect(await seats.change(session, "release", app)).toBe("0");
    await afterwards(app, 2);
    await logOutIn(server(), session);
    const [opened, released] = await afterwards(app, 2);
    const [reserved, ended] = await afterwards(other, 2);
    const all = [opened, reserved, released, ended] as LicenceMessage[];
    expect(all.map(shortOf)).toEqual([
      ["session.opened", 1],
      ["seats.reserved", 1],
      ["seats.released", 0],
      ["session.ended", 0],
    ]);
    expect(opened?.data).toEqual({
      database: "",
      userId: expect.stringMatching(/^[0-9A-Z]+$/),
      session: expect.stringMatching(/^[0-9a-f]{32}$/),
      device: expect.stringMatching(/^[0-9a-f]{32}$/),
      seats: [{ appName: app, kind: "concurrent", limit: 5, taken: 1 }],
    });
    expect(reserved?.data.seats).toEqual([{ appName: other, kind: "user", limit: null, taken: 1 }]);
    expect(new Set(all.map(({ data }) => JSON.stringify([data.userId, data.session, data.device]))).size).toBe(1);
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    for (const { timestamp } of all) expect(Math.abs(Date.now() - Date.parse(timestamp))).toBeLessThan(60_000);
    expect(JSON.stringify(all)).not.toContain("the phone of demo");
  });

  test("tell nothing of refused log-ins and sessions that enrol", async () => {
    const app = await seats.create({ seats: 1, secondFactor: "forced" });
    const marker = await seats.create();
    expect([
      await attempt(server(), "session", { user: "demo", appNames: [app] }),
      await attempt(server(), "session", { user: "demo", appNames: [app], "2faEnrol": true }),
      await attempt(server(), "session", { user: "demo", pass: "wrong", appNames: [marker] }),
      await attempt(server(), "session", { user: "demo", appNames: [marker] }),
    ]).toEqual(["340", "0", "302", "0"]);
    expect((await afterwards(marker, 1)).map(shortOf)).toEqual([["session.opened", 1]]);
    expect([receiver().about(app), await seats.waiting(app)]).toEqual([[], []]);
  });

  test("count the seats again after an administrator has ended sessions", async () => {
    const app = await seats.create();
    const { name } = await newUser(server());
    expect((await tryLogIn(server(), name, { pass: "the first password", appNames: [app] })).code).toBe("0");
    const counted = (taken: number) =>
      receiver().until(() =>
        receiver().accepted.find(
          ({ type, data }) =>
            type === "seats.counted" && data.seats.some((each) => each.appName === app && each.taken === taken),
        ),
      );
    await counted(1);
    const database = server().databases.get("") as Database;
    expect(await setUserDisabled(administrationOf(database), { name, disabled: true })).toBe(1);
    const message = await counted(0);
    expect(message.data).toMatchObject({ database: "" });
    expect(message.data).not.toHaveProperty("userId");
  });

  test.each([500, 302, 404])("wait after the answer %i, and the change stays", async (status) => {
    const app = await seats.create();
    receiver().answering = ({ type }) => (type === "session.opened" ? status : 204);
    const session = await seats.open("session", [app]);
    await receiver().until(() =>
      receiver().refused.find(({ data }) => data.seats.some(({ appName }) => appName === app)),
    );
    expect(await checkSessionIn(server(), session)).toBe("0");
    expect(await seats.waiting(app)).toHaveLength(1);
    const { text } = await fetch(`${server().url}/metrics`).then(async (answer) => ({ text: await answer.text() }));
    expect(text).toMatch(/^sallyport_licence_messages_total\{outcome="failed"\} [1-9]/m);
    expect(text).toMatch(/^sallyport_licence_messages_waiting\{alias=""\} \d/m);
  });
}

function requiredSuite(server: () => RunningServer, receiver: () => LicenceReceiver): void {
  const seats = seatsOf(server);
  const failing: readonly (readonly [string, number | null])[] = [
    ["an error", 500],
    ["a redirect", 302],
    ["no answer in time", null],
  ];

  test.each(endpoints)("are accepted before a log-in by $name, or it fails with 711", async (endpoint) => {
    const app = await seats.create();
    const r = repositoriesOf(server());
    const user = await createTestUser(endpoint, r);
    const last = Math.max(0, ...(await r.audit.read(0, 100_000)).map(({ sequence }) => sequence));
    const logIn = async () => {
      const { status, body } = await endpoint.logIn(
        server(),
        { user: user.user, pass: user.pass, appNames: [app] },
        {},
      );
      return [status, body.status.internalStatus];
    };
    receiver().answering = () => 500;
    expect(await logIn()).toEqual([500, "711"]);
    expect([await seats.taken(app), await seats.waiting(app)]).toEqual([0, []]);
    receiver().answering = () => 204;
    expect(await logIn()).toEqual([200, "0"]);
    expect(receiver().about(app).map(shortOf)).toEqual([["session.opened", 1]]);
    expect([await seats.taken(app), await seats.waiting(app)]).toEqual([1, []]);
    const events = (await r.audit.read(last, 1_000)).filter(({ type }) => type.startsWith("login."));
    expect(events.map(({ type, outcome }) => [type, outcome])).toEqual([
      ["login.accepted", 0],
      ["login.refused", 711],
      ["login.accepted", 0],
    ]);
  });

  test.each(failing)("undo a reservation and a release after %s", async (_what, status) => {
    const app = await seats.create();
    const session = await seats.open("session", ["demo-app"]);
    receiver().answering = () => status;
    expect([await seats.change(session, "reserve", app), await seats.taken(app)]).toEqual(["711", 0]);
    expect(await seats.change(session, "release", app)).toBe("323");
    receiver().answering = () => 204;
    expect([await seats.change(session, "reserve", app), await seats.taken(app)]).toEqual(["0", 1]);
    receiver().answering = () => status;
    expect([await seats.change(session, "release", app), await seats.taken(app)]).toEqual(["711", 1]);
    receiver().answering = () => 204;
    expect([await seats.change(session, "release", app), await seats.taken(app)]).toEqual(["0", 0]);
    expect(
      receiver()
        .about(app)
        .map(({ type }) => type),
    ).toEqual(["seats.reserved", "seats.released"]);
    expect(await seats.waiting(app)).toEqual([]);
  });

  test("let users log out while the receiver is away", async () => {
    const app = await seats.create();
    const session = await seats.open("session", [app]);
    receiver().answering = () => 500;
    expect([await logOutIn(server(), session), await checkSessionIn(server(), session)]).toEqual(["0", "201"]);
    expect((await seats.waiting(app)).map(({ value }) => value.type)).toEqual(["session.ended"]);
  });

  test("are corrected by a count if a session ends while its release is announced", async () => {
    const app = await seats.create();
    const session = await seats.open("session", [app]);
    receiver().answering = async ({ type }) => {
      if (type === "seats.released") await logOutIn(server(), session);
      return 204;
    };
    const before = receiver().accepted.length;
    expect(["201", "203"]).toContain(await seats.change(session, "release", app));
    const counted = ({ type, data }: LicenceMessage) =>
      type === "seats.counted" && data.seats.some(({ appName, taken }) => appName === app && taken === 0);
    await receiver().until(() => receiver().accepted.slice(before).find(counted));
  });

  test("are refused in atomic multi requests, and sent in others", async () => {
    const app = await seats.create();
    const session = await seats.open("session", ["demo-app"]);
    const body = [{ method: "POST", path: "/v1/license/reserve", data: { appNames: [app] } }];
    const send = async (path: string) => (await callIn(server(), session, path, { method: "POST", body })).code;
    expect([await send("/v1/multi?atomic=true"), await seats.taken(app)]).toEqual(["711", 0]);
    expect([await send("/v1/multi"), await seats.taken(app)]).toEqual(["0", 1]);
    expect(receiver().about(app).map(shortOf)).toEqual([["seats.reserved", 1]]);
  });

  test("are sent once for a request with a key, which can be repeated after a failure", async () => {
    const app = await seats.create();
    const session = await seats.open("session", ["demo-app"]);
    const send = async (key: string, path: string, body: object) =>
      (await callIn(server(), session, path, { method: "POST", headers: { "idempotency-key": key }, body })).code;
    const reserve = () => send(`${app} 1`, "/v1/license/reserve", { appNames: [app] });
    receiver().answering = () => 500;
    expect([await reserve(), await seats.taken(app)]).toEqual(["711", 0]);
    receiver().answering = () => 204;
    expect([await reserve(), await reserve(), await seats.taken(app)]).toEqual(["0", "0", 1]);
    const item = { method: "POST", path: "/v1/license/release", data: { appNames: [app] } };
    const release = () => send(`${app} 2`, "/v1/multi", [item]);
    expect([await release(), await release(), await seats.taken(app)]).toEqual(["0", "0", 0]);
    expect([await reserve(), await seats.taken(app)]).toEqual(["0", 0]);
    expect(receiver().about(app).map(shortOf)).toEqual([
      ["seats.reserved", 1],
      ["seats.released", 1],
    ]);
  });
}

function severalServersSuite(): void {
  let postgres: PostgresFixture;
  let receiver: LicenceReceiver;
  beforeAll(async () => {
    [postgres, receiver] = await Promise.all([openPostgresFixture(), LicenceReceiver.open({ tolerance: 300 })]);
  }, 60_000);
  afterAll(async () => {
    await postgres.close();
    await receiver.close();
  });
  const start = () => postgres.demo({ ...withoutLockout, ...receiver.environment, ...soon });

  test("survive a restart, and are sent once by several servers", async () => {
    receiver.answering = () => 503;
    const first = await start();
    const seats = seatsOf(() => first);
    const app = await seats.create({ seats: null });
    const log = async (server: RunningServer) => (await tryLogIn(server, "demo", { appNames: [app] })).code;
    const codes = await Promise.all(Array.from({ length: 20 }, () => log(first)));
    await first.close();

    const inFlight = new Set<string>();
    const twice: string[] = [];
    let release = () => {};
    const enough = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answering = async ({ id }) => {
      if (inFlight.has(id)) twice.push(id);
      inFlight.add(id);
      if (inFlight.size >= 20) release();
      // Holds the first messages, so that both servers look for work.
      await enough;
      return 204;
    };
    const [one, other] = (await Promise.all([start(), start()])) as [RunningServer, RunningServer];
    codes.push(...(await Promise.all(Array.from({ length: 20 }, (_, index) => log(index % 2 === 0 ? one : other)))));
    const { records } = repositoriesOf(one);
    const listed = await records.list(licenceMessages, { after: null, limit: 1_000 });
    // A message that was claimed before this list can arrive after it. A later claim changes the version.
    await setTimeout(1_000);
    for (const waiting of listed)
      if (!inFlight.has(waiting.id)) await records.settle(licenceMessages, waiting, { dueIn: 0 });
    await receiver.until(() => (receiver.about(app).length >= 40 ? true : undefined));
    expect(codes).toEqual(Array(40).fill("0"));
    expect([receiver.about(app).length, twice, receiver.faults]).toEqual([40, [], []]);
  }, 30_000);
}

/** Messages about licence seats to a real receiver: in the background, and required. */
describe.each(testedEngines)("licence messages on %s", (engine) => {
  let receiver: LicenceReceiver;
  beforeAll(async () => {
    receiver = await LicenceReceiver.open({ tolerance: 300 });
  });
  afterEach(() => {
    receiver.answering = () => 204;
    expect(receiver.faults).toEqual([]);
  });
  afterAll(() => receiver.close());
  const options = (more: object = {}) => ({
    on: [engine],
    environment: () => ({ ...withoutLockout, ...storedServerKeys, ...receiver.environment, ...soon, ...more }),
  });
  onEngines("in the background", (server) => backgroundSuite(server, () => receiver), options());
  const required = { LICENCES_STATISTICS_REQUIRED: "true", ...tuned({ licences: { timeout: 300 } }) };
  onEngines("required", (server) => requiredSuite(server, () => receiver), options(required));
});
describe("licence messages of several servers", () => {
  severalServersSuite();
});

test.each([
  [
    "a licence server without a secret",
    { licences: { statistics: { url: "https://licences.example/seats" } } },
    /licences\.statistics\.secret \(LICENCES_STATISTICS_SECRET\): is required with url/,
  ],
  [
    "required licence messages without a licence server",
    { licences: { statistics: { required: true } } },
    /licences\.statistics\.url \(LICENCES_STATISTICS_URL\): is required with required/,
  ],
  [
    "a licence server in clear text",
    { licences: { statistics: { url: "http://licences.example/seats", secret: "whsec_MTIz" } } },
    /licences\.statistics\.url: must be an https URL[^]*licences\.statistics\.secret: must be `whsec_`/,
  ],
])("licence messages: a configuration is refused with %s", (_what, content, expected) => {
  expect(messageOf(content)).toMatch(expected);
});
