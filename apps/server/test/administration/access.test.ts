import { randomUUID } from "node:crypto";
import { NotLoggedInError } from "@sallyport/client";
import { NodeDigests } from "@sallyport/crypto";
import type { Database } from "@sallyport/core";
import { administrationOperations, needsAppKey, operationsOf } from "@sallyport/contract";
import { AdministrationFixture, administrationKey, administrator, codeOf } from "./administration-fixture.ts";
import { call, checkSession } from "../client.ts";
import { newUser } from "../new-user.ts";
import { onEngines, withoutLockout } from "../engines.ts";

const routes = operationsOf(administrationOperations);

/** Access to the administration routes. */
onEngines(
  "access to the administration",
  (server) => {
    let opened: AdministrationFixture;
    const admin = () => opened.admin;
    /** A further administrator. */
    const colleague = async () => {
      const name = `colleague ${randomUUID()}`;
      const { userId } = await admin().users.create({ name, password: "first password", administrator: true });
      const client = opened.clientOf();
      await client.logIn({ user: name, password: "first password" });
      return { name, userId, client };
    };
    beforeAll(async () => {
      opened = await AdministrationFixture.open(server());
    });

    describe("access", () => {
      const paths = routes
        .filter(needsAppKey)
        .map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, "x")] as const);

      test("keys of one scope are unknown to the routes of the other", async () => {
        const [ours, theirs] = [
          await opened.sessionIdOf(opened.appKey, "/admin/v1/login"),
          await opened.sessionIdOf("demo-app-key", "/v1/login"),
        ];
        const codes = new Map<string, Set<string>>();
        for (const [method, path] of paths) {
          for (const [what, key, sessionId] of [
            ["ordinary key", "demo-app-key", theirs],
            ["ordinary key, administrator's session", "demo-app-key", ours],
            ["administrator's key, ordinary session", opened.appKey, theirs],
            ["no session", opened.appKey, undefined],
          ] as const) {
            const sent = { method, headers: { appkey: key }, ...(sessionId === undefined ? {} : { sessionId }) };
            const { code } = await call(server(), path, sent);
            codes.set(what, (codes.get(what) ?? new Set()).add(path.endsWith("login") ? `log-in ${code}` : code));
          }
        }
        expect(Object.fromEntries(codes)).toEqual({
          "ordinary key": new Set(["log-in 101", "101"]),
          "ordinary key, administrator's session": new Set(["log-in 101", "101"]),
          "administrator's key, ordinary session": new Set(["log-in 207", "201"]),
          "no session": new Set(["log-in 207", "200"]),
        });
        for (const [key, sessionId] of [
          [opened.appKey, ours],
          [opened.appKey, theirs],
          ["demo-app-key", ours],
        ] as const) {
          const { code } = await call(server(), "/_CheckSession", { sessionId, headers: { appkey: key } });
          expect(code).toBe(key === opened.appKey ? "101" : "201");
        }
        expect(await checkSession(server(), theirs)).toBe("0");
      });

      test("no text is a key of the other scope", async () => {
        const digests = new NodeDigests();
        const inverted = digests.sha256(opened.appKey);
        for (const key of [
          inverted,
          `admin:${opened.appKey}`,
          "demo-app-key".toUpperCase(),
          digests.sha256("demo-app-key"),
        ])
          for (const path of ["/admin/v1/mail", "/_CheckSession"])
            expect((await call(server(), path, { headers: { appkey: key } })).code).toBe("101");
      });

      test("the log-in accepts administrators only, with one answer to anyone else", async () => {
        const tries = [
          { user: "demo", password: "demo" },
          { user: "admin", password: "wrong" },
          { user: `unknown ${randomUUID()}`, password: "demo" },
        ];
        for (const each of tries) expect(await codeOf(opened.clientOf().logIn(each))).toBe(302);
        await expect(opened.clientOf().mail.waiting()).rejects.toThrow(NotLoggedInError);
        expect(await codeOf(opened.clientOf(opened.appKey, "second").logIn(administrator))).toBe(101);
        const second = opened.clientOf(await administrationKey(server(), "second"), "second");
        await second.logIn(administrator);
        const { items } = await second.sessions.list();
        expect(items.map(({ user, mode }) => [user, mode])).toContainEqual(["admin", "session"]);
        expect(await codeOf(admin().sessions.end(items[0]?.id ?? ""))).toBe(304);
      });

      test("an administrator who loses the rights, or is disabled, has no access from the next request", async () => {
        for (const change of [{ administrator: false }, { enabled: false }]) {
          const { client, userId } = await colleague();
          await client.mail.waiting();
          const read = await admin().users.get(userId);
          await admin().users.change(userId, change, { ifMatch: read });
          expect(await codeOf(client.mail.waiting())).toBe(201);
        }
        const own = await admin().users.get(opened.adminId);
        for (const change of [{ administrator: false }, { enabled: false }])
          expect(await codeOf(admin().users.change(opened.adminId, change, { ifMatch: own }))).toBe(307);
      });

      test("two administrators who take each other's access at the same time: one remains", async () => {
        const [one, other] = [await colleague(), await colleague()];
        const [ofOther, ofOne] = [await one.client.users.get(other.userId), await other.client.users.get(one.userId)];
        const codes = await Promise.all([
          codeOf(one.client.users.change(other.userId, { administrator: false }, { ifMatch: ofOther })),
          codeOf(other.client.users.change(one.userId, { administrator: false }, { ifMatch: ofOne })),
        ]);
        expect(codes.filter((code) => code === 0)).toHaveLength(1);
        const left = [await admin().users.get(one.userId), await admin().users.get(other.userId)];
        expect(left.filter((user) => user.administrator)).toHaveLength(1);
      });

      test("a second factor is needed if the app name administration has the rule", async () => {
        await admin().apps.create({ name: "administration", secondFactor: "forced" });
        expect(await codeOf(opened.clientOf().logIn(administrator))).toBe(340);
        expect(await codeOf(admin().prove({ twoFactorToken: "123456" }))).toBe(304);
        const app = await admin().apps.get("administration");
        await admin().apps.change("administration", { secondFactor: "off" }, { ifMatch: app });
        await opened.clientOf().logIn(administrator);
      });

      test("maintenance spares the administration routes and their log-in", async () => {
        const before = await admin().maintenance.get();
        expect(before).toEqual({ active: false, message: null, endsAt: null });
        const endsAt = new Date(Date.now() + 3_600_000).toISOString();
        const during = await admin().maintenance.set(
          { active: true, message: "Back soon.", endsAt },
          { ifMatch: before },
        );
        expect(during).toEqual({ active: true, message: "Back soon.", endsAt });
        try {
          expect((await call(server(), "/_CheckSession")).code).toBe("706");
          await opened.clientOf().logIn(administrator);
          expect(await codeOf(admin().maintenance.set({ active: false }, { ifMatch: before }))).toBe(713);
        } finally {
          await admin().maintenance.set({ active: false }, { ifMatch: during });
        }
        expect((await call(server(), "/_CheckSession")).code).toBe("200");
      });

      test("log-outs end the session", async () => {
        const client = opened.clientOf();
        await client.logIn(administrator);
        await client.logOut();
        await client.logOut();
        expect(client.isLoggedIn).toBe(false);
      });

      test("the API description lists all routes and needs no credentials", async () => {
        const { body } = await call(server(), "/admin/v1/openapi.json", { headers: { appkey: "" } });
        const described = Object.entries<object>(body.paths).flatMap(([path, item]) =>
          Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
        );
        expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
        expect((await call(server(), "/openapi.json")).body.paths).not.toHaveProperty(["/admin/v1/login"]);
      });
    });

    describe("access rules", () => {
      const tryLogIn = (user: string, appName = "demo-app", deviceId = "phone") => {
        const body = { user, pass: "the first password", appNames: [appName], device: { deviceId } };
        return call(server(), "/v1/login", { method: "POST", body });
      };
      const open = async (...args: Parameters<typeof tryLogIn>) =>
        (await tryLogIn(...args)).body.data.sessionId as string;

      test("a ban is rehearsed, ends the sessions, and is removed by its id", async () => {
        const { name, userId } = await newUser(server());
        const sessionId = await open(name);
        const planned = { userId, reason: "lost", until: new Date(Date.now() + 3_600_000).toISOString() };
        const rehearsed = await admin().bans.rehearse(planned);
        const session = { userId, user: name, deviceId: "phone", appNames: ["demo-app"], since: expect.any(String) };
        expect(rehearsed).toEqual({ id: expect.any(String), ended: 1, sessions: [session] });
        expect(await checkSession(server(), sessionId)).toBe("0");
        expect(await codeOf(admin().bans.remove(rehearsed.id))).toBe(304);
        expect(await admin().bans.add(planned)).toEqual(rehearsed);
        expect([await checkSession(server(), sessionId), (await tryLogIn(name)).code]).toEqual(["201", "318"]);
        const found: unknown[] = [];
        for (let after: string | undefined; ; ) {
          const page = await admin().bans.list({ after, limit: 2 });
          found.push(...page.items.filter((ban) => ban.userId === userId));
          if (page.next === null) break;
          after = page.next;
        }
        const subject = { user: name, deviceId: null, address: null };
        const ban = { id: rehearsed.id, ...subject, state: "inForce", from: expect.any(String) };
        expect(found).toEqual([{ ...planned, ...ban }]);
        await admin().bans.remove(rehearsed.id);
        expect((await tryLogIn(name)).code).toBe("0");
      });

      test("a ban of an address is listed with its network, and removed by its id", async () => {
        const { id, ended } = await admin().bans.add({ address: "2001:DB8:1:2::7" });
        const { items } = await admin().bans.list();
        const shown = { userId: null, user: null, deviceId: null, address: "2001:db8:1:2::/64", state: "inForce" };
        expect([ended, items.find((ban) => ban.id === id)]).toMatchObject([0, shown]);
        await admin().bans.remove(id);
        expect(await codeOf(admin().bans.remove(id))).toBe(304);
      });

      test("refuses a ban of oneself, of the own address, of no subject, of an unknown user, and with an end in the past", async () => {
        const [later, past] = [3_600_000, -3_600_000].map((offset) => new Date(Date.now() + offset).toISOString());
        const { userId } = await newUser(server());
        for (const [ban, code] of [
          [{ userId: opened.adminId }, 307],
          [{ userId: opened.adminId, from: later }, 307],
          [{}, 307],
          [{ userId, until: past }, 307],
          [{ userId, from: later, until: later }, 307],
          [{ userId, reason: "x".repeat(501) }, 307],
          [{ userId: "ZZZZZZ" }, 304],
          [{ address: "127.0.0.1" }, 307],
          [{ address: "host" }, 307],
          [{ address: "192.0.2.9", userId }, 307],
        ] as const)
          expect([ban, await codeOf(admin().bans.add(ban))]).toEqual([ban, code]);
      });

      test("a rule of a user goes before that of a group, and ends the sessions with the app name", async () => {
        const { name: app } = await admin().apps.create({ name: randomUUID() });
        const group = await admin().groups.create({ name: randomUUID() });
        const { name, userId } = await newUser(server());
        await admin().users.change(userId, { groups: [group.groupId] }, { ifMatch: await admin().users.get(userId) });
        const [own, other] = [await open(name, app), await open(name)];
        const forbidden = { app, access: "forbid", groupId: group.groupId, reason: "night" } as const;
        expect(await admin().appRules.rehearse(forbidden)).toMatchObject({ ended: 1, sessions: [{ user: name }] });
        expect(await checkSession(server(), own)).toBe("0");
        const { id, ended } = await admin().appRules.set(forbidden);
        expect(ended).toBe(1);
        expect([await checkSession(server(), own), await checkSession(server(), other)]).toEqual(["201", "0"]);
        expect((await tryLogIn(name, app)).code).toBe("403");
        await admin().appRules.set({ app, access: "allow", userId });
        expect((await tryLogIn(name, app)).code).toBe("0");
        const { items } = await admin().appRules.list({ limit: 500 });
        expect(items.find((each) => each.id === id)).toEqual({
          id,
          userId: null,
          user: null,
          deviceId: null,
          groupId: group.groupId,
          group: group.name,
          rules: [{ app, access: "forbid", reason: "night" }],
        });
        expect((await admin().appRules.set({ app, access: null, userId })).ended).toBe(1);
        for (const [rule, code] of [
          [{ app, access: null, userId }, 304],
          [{ app: randomUUID(), access: "allow" }, 208],
          [{ app, access: "allow", userId, groupId: group.groupId }, 307],
          [{ app, access: "allow", groupId: userId }, 307],
        ] as const)
          expect([rule, await codeOf(admin().appRules.set(rule))]).toEqual([rule, code]);
      });

      test("an administrator needs no registered device", async () => {
        const { policy } = server().databases.get("") as Database;
        const before = policy.devices;
        Object.assign(policy, { devices: { ...before, policy: "registered" } });
        try {
          await opened.clientOf().logIn(administrator);
          const { name } = await newUser(server());
          expect((await tryLogIn(name)).code).toBe("318");
        } finally {
          Object.assign(policy, { devices: before });
        }
      });

      test("no rule ends the session of its own request", async () => {
        const app = "administration";
        await codeOf(admin().apps.create({ name: app }));
        for (const rule of [{}, { userId: opened.adminId }]) {
          const forbidden = { app, access: "forbid", ...rule } as const;
          expect(await codeOf(admin().appRules.rehearse(forbidden))).toBe(307);
          expect(await codeOf(admin().appRules.set(forbidden))).toBe(307);
        }
        await admin().mail.waiting();
        await opened.clientOf().logIn(administrator);
      });

      test("a device is registered, listed with its user, and removed by its id", async () => {
        const { name, userId } = await newUser(server());
        const [deviceId, other] = [randomUUID(), randomUUID()];
        const device = await admin().devices.register({ deviceId, userId });
        const unseen = { registered: true, firstSeen: null, lastSeen: null, says: {} };
        expect(device).toEqual({ id: expect.any(String), deviceId, userId, user: name, ...unseen });
        expect(await admin().devices.register({ deviceId: other })).toMatchObject({ userId: null, user: null });
        await admin().devices.register({ deviceId: other, userId });
        const first = await admin().devices.list({ user: userId, limit: 1 });
        const second = await admin().devices.list({ user: userId, limit: 1, after: first.next ?? "" });
        expect([...first.items, ...second.items]).toHaveLength(2);
        expect([...first.items, ...second.items]).toContainEqual(device);
        // Devices need no registration here, so that its sessions stay.
        expect([await admin().devices.forget(device.id), await codeOf(admin().devices.forget(device.id))]).toEqual([
          0, 304,
        ]);
        expect(await codeOf(admin().devices.list({ user: "ZZZZZZ" }))).toBe(304);
        expect(await codeOf(admin().devices.register({ deviceId: " " }))).toBe(307);
      });
    });
  },
  { environment: withoutLockout, count: 2 },
);
