import { randomUUID } from "node:crypto";
import type { ClientSession } from "@sallyport/client";
import {
  addBan,
  type AddBanInput,
  administrationOf,
  Applications,
  type Database,
  deviceKind,
  registerDevice,
  removeBan,
  setAppRule,
  type SetAppRuleInput,
} from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { callIn, checkSession, checkSessionIn, multiResults, tryLogIn } from "../client.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import { sessionEndedCode, testedModes } from "../modes.ts";
import { attempt, logInWith } from "../second-factor-client.ts";
import { newUser } from "../new-user.ts";

/** The password of `newUser`. */
const password = "the first password";

/** Bans and app rules, across two servers where the engine allows two. */
onEngines(
  "rules",
  (_server, demo) => {
    const [one, two] = [() => demo.servers()[0] as RunningServer, () => demo.servers()[1] as RunningServer];
    const database = () => one().databases.get("") as Database;
    const administration = () => administrationOf(database());
    const r = () => database().storage.repositories;
    const ban = (named: Pick<AddBanInput, "user" | "device" | "address">, more: Partial<AddBanInput> = {}) =>
      addBan(administration(), { reason: "", from: null, until: null, ...named, ...more });
    const rule = (app: string, access: SetAppRuleInput["access"], named: Partial<SetAppRuleInput> = {}) =>
      setAppRule(administration(), { app, access, reason: "", ...named });
    const newApp = async () => {
      const name = `app ${randomUUID()}`;
      await new Applications(r().records).create({ name, seats: null });
      return name;
    };
    const logIn = (user: string, more: object = {}, server = two()) =>
      tryLogIn(server, user, { pass: password, ...more });
    const codeOf = async (user: string, more: object = {}) => (await logIn(user, more)).code;

    describe.each(testedModes)("in mode %s", (mode) => {
      const over = sessionEndedCode[mode];
      const open = (user: string, appNames: readonly string[], deviceId?: string): Promise<ClientSession> =>
        logInWith(one(), {
          mode,
          user,
          password,
          appNames,
          ...(deviceId === undefined ? {} : { device: { deviceId } }),
        });
      const codeIn = (user: string, appName = "demo-app") =>
        attempt(two(), mode, { user, pass: password, appNames: [appName] });

      test("a ban ends the sessions on every server at once, and log-ins work again without it", async () => {
        const { name: user } = await newUser(one());
        const device = `phone ${randomUUID()}`;
        const [phone, bare] = [await open(user, ["demo-app"], device), await open(user, ["demo-app"])];
        expect((await ban({ device })).count).toBe(1);
        expect([await checkSessionIn(two(), phone), await checkSessionIn(two(), bare)]).toEqual([over, "0"]);
        expect((await ban({ user })).count).toBe(1);
        expect([await checkSessionIn(two(), bare), await codeIn(user)]).toEqual([over, "318"]);
        await removeBan(administration(), { user });
        expect(await codeIn(user)).toBe("0");
      });

      test("a ban of an address ends its sessions on every server, and refuses right passwords", async () => {
        const { name: user } = await newUser(one());
        const session = await open(user, ["demo-app"]);
        await ban({ address: "192.0.2.7" });
        expect([await checkSessionIn(two(), session), await codeIn(user)]).toEqual(["0", "0"]);
        const rehearsal = await ban({ address: "127.0.0.1" }, { rehearse: true });
        expect([rehearsal.count > 1, await checkSessionIn(two(), session)]).toEqual([true, "0"]);
        expect((await ban({ address: "127.0.0.1" })).count).toBe(rehearsal.count);
        const wrong = attempt(two(), mode, { user, pass: "wrong", appNames: ["demo-app"] });
        expect([await checkSessionIn(two(), session), await codeIn(user), await wrong]).toEqual([over, "318", "302"]);
        for (const address of ["127.0.0.1", "192.0.2.7"]) await removeBan(administration(), { address });
        expect(await codeIn(user)).toBe("0");
      });

      test("a rule ends the sessions with the app name only, reserved names included", async () => {
        const [{ name: user }, app] = [await newUser(one()), await newApp()];
        const [own, other, reserving] = [
          await open(user, [app]),
          await open(user, ["demo-app"]),
          await open(user, ["demo-app"]),
        ];
        const body = { appNames: [app] };
        await callIn(one(), reserving, "/v1/license/reserve", { method: "POST", body });
        const rehearsal = await rule(app, "forbid", { user, rehearse: true });
        expect([rehearsal.count, rehearsal.sessions[0]?.userName]).toEqual([2, user]);
        expect(await checkSessionIn(two(), own)).toBe("0");
        expect((await rule(app, "forbid", { user })).count).toBe(2);
        const states = [own, other, reserving].map((session) => checkSessionIn(two(), session));
        expect([await Promise.all(states), await codeIn(user, app)]).toEqual([[over, "0", over], "403"]);
      });

      test("a reservation is refused like a log-in, and audited", async () => {
        const [{ name: user, userId }, app] = [await newUser(one()), await newApp()];
        const session = await open(user, ["demo-app"], `phone ${randomUUID()}`);
        const reserve = () =>
          callIn(two(), session, "/v1/license/reserve", { method: "POST", body: { appNames: ["demo-app", app] } });
        await rule(app, "forbid");
        expect(await reserve()).toMatchObject({ status: 403, code: "403" });
        // The user object may have got a ban whose sessions another server is just ending.
        const id = `user:${userId}`;
        const value = { subject: { kind: "user", userId }, reason: "", from: 0, until: null, begun: true };
        await r().records.put("ban", id, value);
        expect(await reserve()).toMatchObject({ status: 403, code: "318" });
        await r().records.remove("ban", { ids: [id] });
        await rule(app, "allow", { user });
        expect((await reserve()).code).toBe("0");
        const events = (await r().audit.read(0, 100_000)).filter(({ actorId, type }) => {
          return actorId === userId && type.startsWith("seats.");
        });
        expect(events.map(({ type, outcome }) => `${type} ${outcome}`)).toEqual([
          "seats.refused 403",
          "seats.refused 318",
          "seats.reserved 0",
        ]);
      });
    });

    test("a reservation inside an atomic multi request is refused", async () => {
      const [{ name: user }, app] = [await newUser(one()), await newApp()];
      const session = await logInWith(one(), { mode: "session", user, password, appNames: ["demo-app"] });
      const item = { method: "POST", path: "/v1/license/reserve", data: { appNames: [app] } };
      const send = (path: string) => callIn(two(), session, path, { method: "POST", body: [item] });
      await rule(app, "forbid", { user });
      expect((await send("/v1/multi?atomic=true")).code).toBe("403");
      expect(multiResults((await send("/v1/multi")).body.data).map(({ result }) => result)).toEqual([403]);
    });

    test("no session of a log-in during a ban survives it", async () => {
      for (let round = 0; round < 3; round += 1) {
        const { name: user } = await newUser(one());
        let answered = 0;
        const logIns = Array.from({ length: 24 }, async (_each, index) => {
          const answer = await logIn(user, {}, index % 2 === 0 ? one() : two());
          answered += 1;
          return answer;
        });
        // Some log-ins are done, some are between proof and session, some wait for their proof.
        const banning = logIns[round * 4 + 1]?.then(() => ban({ user }));
        const [answers, outcome] = [await Promise.all(logIns), await banning];
        expect(answered).toBe(24);
        const opened = answers.filter(({ code }) => code === "0");
        expect(answers.filter(({ code }) => code !== "0").every(({ code }) => code === "318")).toBe(true);
        expect(opened).toHaveLength(outcome?.count ?? -1);
        const states = opened.map(({ body }) => checkSession(two(), body.data.sessionId));
        expect(new Set(await Promise.all(states))).toEqual(new Set(["201"]));
      }
    });

    test("rules that change during a storm of log-ins are exact", async () => {
      const [{ name: user }, app] = [await newUser(one()), await newApp()];
      const state = { over: false };
      const storm = Array.from({ length: 8 }, async (_each, index) => {
        const codes: string[] = [];
        while (!state.over) codes.push((await logIn(user, { appNames: [app] }, index % 2 === 0 ? one() : two())).code);
        return codes;
      });
      let [opened, ended] = [0, 0];
      for (let change = 0; change < 12; change += 1) {
        // Each change of an unrelated rule of the user makes the log-ins in progress look again.
        await rule("demo-app", change % 2 === 0 ? "allow" : null, { user });
        ended += (await rule(app, change % 2 === 0 ? "forbid" : "allow", { user })).count;
        if (change % 2 !== 0) {
          expect(await codeOf(user, { appNames: [app] })).toBe("0");
          opened += 1;
        } else expect(await r().sessions.count({ name: app, kind: "concurrent" })).toBe(0);
      }
      ended += (await rule(app, "forbid", { user })).count;
      state.over = true;
      const codes = (await Promise.all(storm)).flat();
      expect(codes.filter((code) => code !== "0" && code !== "403")).toEqual([]);
      expect([
        opened + codes.filter((code) => code === "0").length,
        await r().sessions.count({ name: app, kind: "concurrent" }),
      ]).toEqual([ended, 0]);
    });

    test.each([
      ["user", (user: string) => ({ user })],
      ["address", () => ({ address: "127.0.0.1" })],
    ])("a timed ban of a %s ends the sessions when it begins, and itself at its end", async (_what, banned) => {
      const { name: user } = await newUser(one());
      const { sessionId } = (await logIn(user)).body.data;
      const now = await database().storage.now();
      const [from, to] = [now + 600, now + 3_000];
      expect((await ban(banned(user), { from, until: to })).count).toBe(0);
      expect(await checkSession(two(), sessionId)).toBe("0");
      await until(async () => (await checkSession(two(), sessionId)) !== "0");
      expect([(await database().storage.now()) >= from, await codeOf(user)]).toEqual([true, "318"]);
      await until(async () => (await codeOf(user)) !== "318");
      expect((await database().storage.now()) >= to).toBe(true);
    });

    test("what a client says about its device is kept, and read by administrators", async () => {
      const { name: user, userId } = await newUser(one());
      const device = { deviceId: " tablet ", device: "Tablet 9", systemVersion: "17.1", owner: "field" };
      expect(await codeOf(user, { device })).toBe("0");
      const known = () => r().records.list(deviceKind, { owner: `user:${userId}`, after: null, limit: 10 });
      // Noted after the answer.
      await until(async () => (await known()).length > 0);
      const { deviceId: _deviceId, ...says } = device;
      expect(await known()).toMatchObject([{ value: { userId, deviceId: "tablet", says, registered: false } }]);
    });

    test("a database can admit registered devices only", async () => {
      const { policy } = two().databases.get("") as Database;
      const [before, { name: user }] = [policy.devices, await newUser(one())];
      const deviceId = `phone ${randomUUID()}`;
      Object.assign(policy, { devices: { ...before, policy: "registered" } });
      expect([await codeOf(user), await codeOf(user, { device: { deviceId } })]).toEqual(["318", "318"]);
      await registerDevice(administration(), { user, device: deviceId });
      expect([await codeOf(user, { device: { deviceId } }), await codeOf("demo")]).toEqual(["0", "302"]);
      Object.assign(policy, { devices: before });
    });
  },
  { environment: withoutLockout, count: 2 },
);
