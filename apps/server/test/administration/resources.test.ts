import { randomUUID } from "node:crypto";
import { NodeDigests } from "@sallyport/crypto";
import type { RunningServer } from "../../src/index.ts";
import { AdministrationFixture, administrationKey, administrator, codeOf } from "./administration-fixture.ts";
import { call, checkSession } from "../client.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import { newUser } from "../new-user.ts";

/** Resources of administrators, by their client: lists, changes and refusals. */
onEngines(
  "resources of the administration",
  (server, { servers }) => {
    let opened: AdministrationFixture;
    const admin = () => opened.admin;
    beforeAll(async () => {
      opened = await AdministrationFixture.open(server());
    });

    test("users are listed in pages, created, read and changed", async () => {
      const group = await admin().groups.create({ name: `group ${randomUUID()}`, description: "text" });
      const name = `user ${randomUUID()}`;
      const user = await admin().users.create({ name, password: "first password", groups: [group.groupId] });
      expect(user).toEqual({
        userId: expect.any(String),
        name,
        description: null,
        enabled: true,
        administrator: false,
        rights: null,
        email: null,
        groups: [group.groupId],
      });
      const changed = await admin().users.change(user.userId, { name: `${name} 2`, groups: [] }, { ifMatch: user });
      expect(changed).toEqual({ ...user, name: `${name} 2`, groups: [] });
      expect(await admin().users.get(user.userId)).toEqual(changed);
      const names: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await admin().users.list({ after, limit: 2 });
        names.push(...page.items.map((each) => each.name));
        if (page.next === null) break;
        after = page.next;
      }
      expect(new Set(names).size).toBe(names.length);
      expect(names).toEqual(expect.arrayContaining(["admin", "demo", "reader", `${name} 2`]));
      expect(await codeOf(admin().users.get("ZZZZZZ"))).toBe(304);
      const missing = { name: randomUUID(), password: "first password", groups: [user.userId] };
      expect(await codeOf(admin().users.create(missing))).toBe(307);
    });

    test("users and groups are searched by a part of their names, in pages", async () => {
      const part = randomUUID();
      const names = ["a", "b", "c"].map((letter) => `${letter} ${part}`);
      for (const name of names) {
        await admin().users.create({ name, password: "first password" });
        await admin().groups.create({ name });
      }
      const first = await admin().users.list({ search: part, limit: 2 });
      expect(first.items.map(({ name }) => name)).toEqual(names.slice(0, 2));
      const second = await admin().users.list({ search: part, limit: 2, after: first.next ?? "" });
      expect([second.items.map(({ name }) => name), second.next]).toEqual([names.slice(2), null]);
      const groups = await admin().groups.list({ search: part.toUpperCase() });
      expect(groups.items.map(({ name }) => name)).toEqual(names);
      for (const absent of ["%", `_ ${part}`, randomUUID()]) {
        expect(await admin().users.list({ search: absent })).toEqual({ items: [], next: null });
        expect(await admin().groups.list({ search: absent })).toEqual({ items: [], next: null });
      }
    });

    test("a change needs the current version, and one of several concurrent ones succeeds", async () => {
      const { userId } = await newUser(server());
      const ours = await opened.logInAgain(servers().at(-1));
      const user = await admin().users.get(userId);
      const codes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          codeOf(
            (index % 2 === 0 ? admin() : ours).users.change(userId, { description: `${index}` }, { ifMatch: user }),
          ),
        ),
      );
      expect(codes.toSorted()).toEqual([0, ...Array.from({ length: 11 }, () => 713)]);
      const sessionId = await opened.sessionIdOf(opened.appKey, "/admin/v1/login");
      for (const [headers, code] of [
        [{}, "307"],
        [{ "if-match": "*" }, "307"],
        [{ "if-match": '"1"' }, "713"],
      ] as const) {
        const answer = await call(server(), `/admin/v1/users/${userId}`, {
          method: "PATCH",
          sessionId,
          headers: { appkey: opened.appKey, ...headers },
          body: { description: "text" },
        });
        expect(answer.code).toBe(code);
      }
    });

    test("a created app key works at once in its scope, and is shown once", async () => {
      const created = await admin().appKeys.create({ name: randomUUID(), origins: ["https://app.example"] });
      expect((await call(server(), "/_CheckSession", { headers: { appkey: created.key } })).code).toBe("200");
      const { key, ...rest } = created;
      const read = await admin().appKeys.get(created.appKeyId);
      expect(read).toEqual(rest);
      expect(JSON.stringify((await admin().appKeys.list({ limit: 500 })).items)).not.toContain(key);
      await admin().appKeys.setEnabled(created.appKeyId, false, { ifMatch: read });
      expect((await call(server(), "/_CheckSession", { headers: { appkey: key } })).code).toBe("101");
      const another = await admin().appKeys.create({ name: randomUUID(), scope: "admin" });
      await opened.clientOf(another.key).logIn(administrator);
    });

    test("an app key lists origins only as browsers send them", async () => {
      for (const origin of ["https://app.example/", "https://App.example", "null", "*", "app.example"])
        expect(await codeOf(admin().appKeys.create({ name: randomUUID(), origins: [origin] }))).toBe(307);
    });

    test("sessions are listed without a credential, and end by user", async () => {
      const { name, userId } = await newUser(server());
      const open = async () => {
        const body = { user: name, pass: "the first password", appNames: ["demo-app"], device: { deviceId: "phone" } };
        return (await call(server(), "/v1/login", { method: "POST", body })).body.data.sessionId as string;
      };
      const opened = [await open(), await open()];
      const first = await admin().sessions.list({ user: userId, limit: 1 });
      const second = await admin().sessions.list({ user: userId, limit: 1, after: first.next ?? "" });
      const items = [...first.items, ...second.items];
      expect(items).toHaveLength(2);
      for (const item of items)
        expect(item).toMatchObject({
          id: expect.stringMatching(/^[0-9a-f]{16}$/),
          user: name,
          userId,
          method: "password",
          mode: "session",
          appNames: ["demo-app"],
          deviceId: "phone",
          address: "127.0.0.1",
          bytes: { received: 0, sent: 0 },
          appKey: expect.stringMatching(/./),
          // No request has moved the end.
          lastSeen: item.since,
        });
      const digests = new NodeDigests();
      for (const id of opened) expect(JSON.stringify(items)).not.toContain(digests.sha256(id).slice(0, 17));
      expect(await admin().sessions.endOfUser(userId)).toBe(2);
      expect(await Promise.all(opened.map((id) => checkSession(server(), id)))).toEqual(["201", "201"]);
    });

    test("sessions are listed and end by device, of all users or one", async () => {
      const [one, two] = [await newUser(server()), await newUser(server())];
      const device = randomUUID();
      const open = async (name: string, deviceId: string) => {
        const body = { user: name, pass: "the first password", appNames: ["demo-app"], device: { deviceId } };
        return (await call(server(), "/v1/login", { method: "POST", body })).body.data.sessionId as string;
      };
      const [ofOne, ofTwo, elsewhere] = [
        await open(one.name, device),
        await open(two.name, device),
        await open(one.name, `${device} b`),
      ];
      const codes = () => Promise.all([ofOne, ofTwo, elsewhere].map((id) => checkSession(server(), id)));
      const listed = async (options: object) =>
        (await admin().sessions.list({ device, ...options })).items.map(({ user }) => user).toSorted();
      expect(await listed({})).toEqual([one.name, two.name].toSorted());
      expect([await listed({ user: one.userId }), await listed({ app: "demo-app", user: two.userId })]).toEqual([
        [one.name],
        [two.name],
      ]);
      expect([await listed({ app: "demo-seats" }), await listed({ device: randomUUID() })]).toEqual([[], []]);
      expect(await admin().sessions.endOfDevice(device, { user: one.userId })).toBe(1);
      expect(await codes()).toEqual(["201", "0", "0"]);
      expect(await admin().sessions.endOfDevice(device)).toBe(1);
      expect([await codes(), await admin().sessions.endOfDevice(device)]).toEqual([["201", "201", "0"], 0]);
    });

    test("ids that are none are refused or unknown, and reach no statement", async () => {
      const odd = ["x!", "\0", "../users", "1 or 1=1", "ZZZZZZZZZZZZZZZZ", "\ud800", "__proto__"];
      for (const id of odd) {
        const codes = await Promise.all([
          codeOf(admin().users.list({ after: `${id}\0` })),
          codeOf(admin().sessions.list({ user: id })),
          codeOf(admin().sessions.list({ after: id })),
          codeOf(admin().sessions.endOfUser(id)),
          codeOf(admin().call("DELETE /admin/v1/sessions", { query: {} })),
          codeOf(admin().links.list({ user: id })),
          codeOf(admin().devices.list({ user: id })),
          codeOf(admin().bans.add({ userId: id })),
          codeOf(admin().appRules.set({ app: "demo-app", access: "allow", groupId: id })),
          codeOf(admin().users.create({ name: randomUUID(), password: "first password", groups: [id] })),
        ]);
        expect([id, ...codes]).toEqual([id, ...codes.map(() => 307)]);
      }
      for (const id of odd.filter((each) => !/[\0/]|\p{Surrogate}/u.test(each))) {
        const codes = await Promise.all([
          codeOf(admin().users.get(id)),
          codeOf(admin().groups.get(id)),
          codeOf(admin().customUsers.get(id)),
          codeOf(admin().appKeys.get(id)),
          codeOf(admin().apps.get(id)),
          codeOf(admin().sessions.end(id)),
          codeOf(admin().links.remove(id)),
          codeOf(admin().devices.forget(id)),
          codeOf(admin().bans.remove(id)),
          codeOf(admin().providers.get(id)),
          codeOf(admin().macros.history(id)),
        ]);
        expect([id, ...codes]).toEqual([id, ...codes.map(() => 304)]);
      }
    });

    test("the audit is read with conditions", async () => {
      const { userId } = await newUser(server());
      const since = new Date(Date.now() - 60_000);
      await admin().users.setPassword(userId, "another password");
      const about = await admin().audit.read({ subject: userId, since });
      expect(about.items.map(({ type, actorId }) => [type, actorId])).toEqual([["password.changed", opened.adminId]]);
      expect((await admin().audit.read({ subject: userId, until: since })).items).toEqual([]);
      expect((await admin().audit.read({ subject: userId, type: "login.accepted" })).items).toEqual([]);
      const types = (await admin().audit.read({ type: "password.changed", limit: 1 })).items.map(({ type }) => type);
      expect(types).toEqual(["password.changed"]);
      expect(await codeOf(admin().audit.read({ type: "password.change" }))).toBe(307);
    });

    test("limits are set and unset, apply at once on each server, and spare administrators", async () => {
      const before = await admin().limits.get();
      const limitIn = ({ items }: typeof before, wanted: string) => items.find(({ name }) => name === wanted);
      const [name, rate] = ["sessions.perUserLimit", "rates.address.perMinute"] as const;
      const usual = limitIn(before, name)?.value ?? 0;
      expect(limitIn(before, name)).toEqual({ name, value: usual, default: usual, overridden: false });
      const other = servers().at(-1) ?? server();
      const logIn = async (user: string, at: RunningServer) =>
        (
          await call(at, "/v1/login", {
            method: "POST",
            body: { user, pass: "the first password", appNames: ["demo-app"] },
          })
        ).code;
      const user = await newUser(server());
      const during = await admin().limits.change({ [name]: 1, "sessions.limit": 0 }, { ifMatch: before });
      try {
        expect(limitIn(during, name)).toEqual({ name, value: 1, default: usual, overridden: true });
        expect([await logIn(user.name, server()), await logIn(user.name, other)]).toEqual(["0", "315"]);
        await opened.logInAgain(other);
        expect(await codeOf(admin().limits.change({ [name]: 2 }, { ifMatch: before }))).toBe(713);
        for (const odd of [{ [rate]: -1 }, { [rate]: 0.5 }, { other: 1 }, { ["__proto__"]: 1 }])
          expect([odd, await codeOf(admin().limits.change(odd, { ifMatch: during }))]).toEqual([odd, 307]);
        const above = { [name]: 3, "sessions.limit": 2 };
        expect(await codeOf(admin().limits.change(above, { ifMatch: during }))).toBe(307);
        expect(await admin().limits.get()).toEqual(during);
        const audited = async () => (await admin().audit.read({ type: "limits.changed" })).items.length;
        const changes = await audited();
        for (const same of [{}, { [name]: 1, "sessions.limit": 0 }])
          expect(await admin().limits.change(same, { ifMatch: during })).toEqual(during);
        expect(await audited()).toBe(changes);
      } finally {
        const unset = { [name]: null, "sessions.limit": null };
        expect(await admin().limits.change(unset, { ifMatch: during })).toEqual(before);
      }
      expect(await logIn(user.name, other)).toBe("0");
    });

    test("the examination is about the own database alone", async () => {
      const [own, second] = [admin(), opened.clientOf(await administrationKey(server(), "second"), "second")];
      await second.logIn(administrator);
      for (const [client, name] of [
        [own, "The database with the empty alias"],
        [second, 'The database "second"'],
      ] as const) {
        const items = await client.examination.run();
        // Not every engine is configured as a demo, so its app key can be a finding.
        expect(items.filter(({ check, level }) => check !== "secrets" && level !== "ok")).toEqual([]);
        expect(items.map(({ check }) => check)).toEqual(expect.arrayContaining(["clock", "schema", "keys", "mail"]));
        for (const { check, finding } of items.filter((item) => item.check !== "mail"))
          expect([check, finding]).toEqual([check, expect.stringContaining(name)]);
      }
    });

    test("keys, mail and macros are shown", async () => {
      expect(await admin().mail.waiting()).toEqual({ count: 0, oldestSeconds: 0, stuckSeconds: 0 });
      expect(await codeOf(admin().macros.history("None"))).toBe(304);
      const states = (await admin().macros.list()).map(({ state }) => state);
      expect(new Set(states)).toEqual(new Set(["macro", "hook"]));
    });
  },
  { environment: withoutLockout, count: 2 },
);
