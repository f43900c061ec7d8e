import { randomUUID } from "node:crypto";
import type { Repositories } from "@sallyport/storage";
import { administrationOperations, operationsOf } from "@sallyport/contract";
import type { RunningServer } from "../../src/index.ts";
import { AdministrationFixture, codeOf, consoleTicket, setUpTicket } from "./administration-fixture.ts";
import { call } from "../client.ts";
import { startEmptyOn } from "../empty-databases.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { newUser } from "../new-user.ts";
import { onEngines, withoutLockout } from "../engines.ts";

const declared = operationsOf(administrationOperations);

/** The administration routes that change something, by their client: audit and recent proof. */
onEngines(
  "administration",
  (server) => {
    let opened: AdministrationFixture;
    const admin = () => opened.admin;
    const repositories = (): Repositories => repositoriesOf(server());
    beforeAll(async () => {
      opened = await AdministrationFixture.open(server());
    });

    /** A successful call of each changing route, with the first events that it writes. */
    const changes: Readonly<Record<string, readonly [events: readonly string[], change: () => Promise<unknown>]>> = {
      // Before the log-in there is no actor.
      tradeConsoleTicket: [[], async () => opened.clientOf("").console.tradeTicket(await consoleTicket(server()))],
      setUp: [
        [],
        async () => {
          const { servers, close } = await startEmptyOn("memory", { aliases: [""] });
          const [empty] = servers as [RunningServer];
          const ticket = (await setUpTicket(empty)) as string;
          const created = { ticket, name: "ada", password: "a word of my own" };
          await opened.clientOf("", "", empty).console.setUp(created);
          await close();
        },
      ],
      openConsoleSession: [["login.accepted"], () => admin().console.openSession()],
      createUser: [["account.created"], () => admin().users.create({ name: randomUUID(), password: "first password" })],
      changeUser: [
        ["account.changed", "account.disabled", "account.promoted", "account.changed"],
        async () => {
          const { userId } = await newUser(server());
          const user = await admin().users.get(userId);
          const change = { email: "a@mail.example", enabled: false, administrator: true, description: "text" };
          await admin().users.change(userId, change, { ifMatch: user });
        },
      ],
      setUserPassword: [
        ["password.changed"],
        async () => admin().users.setPassword((await newUser(server())).userId, "another password"),
      ],
      removeFactors: [
        ["secondFactor.removed"],
        async () => {
          const { userId } = await newUser(server());
          await putFactor(`user:${userId}`);
          expect(await admin().users.factors(userId)).toHaveLength(1);
          await admin().users.removeFactors(userId);
        },
      ],
      removeFactorsOf: [
        ["customUser.created", "secondFactor.removed", "secondFactor.removed", "secondFactor.removed"],
        async () => {
          const { userId } = await newUser(server());
          const { customUserId } = await newCustomUser();
          for (const subject of [`user:${userId}`, `custom:${customUserId}`, `link:${randomUUID()}`]) {
            await putFactor(subject);
            expect((await allFactors()).filter((each) => each.subject === subject)).toHaveLength(1);
            await admin().factors.remove(subject, { app: "some app" });
            expect(await codeOf(admin().factors.remove(subject))).toBe(304);
          }
          expect(await codeOf(admin().factors.remove("constructor:1"))).toBe(304);
        },
      ],
      createGroup: [["group.created"], () => admin().groups.create({ name: randomUUID() })],
      changeGroup: [
        ["group.created", "group.changed"],
        async () => {
          const group = await admin().groups.create({ name: randomUUID() });
          await admin().groups.change(group.groupId, { name: randomUUID(), description: "text" }, { ifMatch: group });
        },
      ],
      createCustomUser: [["customUser.created"], () => newCustomUser()],
      changeCustomUser: [
        ["customUser.created", "customUser.changed", "customUser.changed", "customUser.disabled"],
        async () => {
          const custom = await newCustomUser();
          const { userId } = await newUser(server());
          const change = { email: "a@mail.example", userId, enabled: false };
          await admin().customUsers.change(custom.customUserId, change, { ifMatch: custom });
        },
      ],
      removeCustomUser: [
        ["customUser.created", "customUser.removed"],
        async () => admin().customUsers.remove((await newCustomUser()).customUserId),
      ],
      setCustomUserPassword: [
        ["customUser.created", "customPassword.changed"],
        async () => admin().customUsers.setPassword((await newCustomUser()).customUserId, "another password"),
      ],
      removeCustomUserFactors: [
        ["customUser.created", "secondFactor.removed"],
        async () => {
          const { customUserId } = await newCustomUser();
          await putFactor(`custom:${customUserId}`);
          expect(await admin().customUsers.factors(customUserId)).toHaveLength(1);
          await admin().customUsers.removeFactors(customUserId, { app: "some app" });
        },
      ],
      createAppKey: [["appKey.created"], () => admin().appKeys.create({ name: randomUUID(), scope: "admin" })],
      changeAppKey: [
        ["appKey.created", "appKey.disabled"],
        async () => {
          const { appKeyId } = await admin().appKeys.create({ name: randomUUID() });
          await admin().appKeys.setEnabled(appKeyId, false, { ifMatch: await admin().appKeys.get(appKeyId) });
        },
      ],
      createApp: [["app.created"], () => admin().apps.create({ name: randomUUID() })],
      changeApp: [
        ["app.created", "appSeats.changed", "appSecondFactor.allowed"],
        async () => {
          const app = await admin().apps.create({ name: randomUUID() });
          await admin().apps.change(app.name, { seats: 3, secondFactor: "optional" }, { ifMatch: app });
        },
      ],
      endSession: [
        ["login.accepted", "sessions.ended"],
        async () => {
          const client = await opened.logInAgain();
          const { items } = await admin().sessions.list({ user: opened.adminId });
          const newest = items.toSorted((one, other) => (one.since < other.since ? 1 : -1))[0];
          await admin().sessions.end(newest?.id ?? "");
          expect(await codeOf(client.mail.waiting())).toBe(201);
        },
      ],
      endSessions: [
        ["sessions.ended"],
        async () => expect(await admin().sessions.endOfUser((await newUser(server())).userId)).toBe(0),
      ],
      registerDevice: [["device.registered"], () => admin().devices.register({ deviceId: randomUUID() })],
      forgetDevice: [
        ["device.registered", "device.forgotten"],
        async () => admin().devices.forget((await admin().devices.register({ deviceId: randomUUID() })).id),
      ],
      addBan: [["ban.added"], () => admin().bans.add({ deviceId: randomUUID() })],
      removeBan: [
        ["ban.added", "ban.removed"],
        async () => admin().bans.remove((await admin().bans.add({ deviceId: randomUUID() })).id),
      ],
      setAppRule: [
        ["app.created", "appRule.allowed", "appRule.forbidden", "appRule.removed"],
        async () => {
          const rule = { app: (await admin().apps.create({ name: randomUUID() })).name, deviceId: randomUUID() };
          for (const access of ["allow", "forbid", null] as const) await admin().appRules.set({ ...rule, access });
        },
      ],
      putProvider: [["provider.stored"], () => admin().providers.put("google", providerEntry)],
      removeProvider: [
        ["provider.stored", "provider.removed"],
        async () => {
          const found = await admin().providers.list();
          const registered =
            found.length === 0
              ? await admin().providers.put("google", providerEntry)
              : await admin().providers.put("google", providerEntry, {
                  ifMatch: await admin().providers.get("google"),
                });
          expect(JSON.stringify(registered)).not.toContain("hidden");
          await admin().providers.remove("google", { ifMatch: registered });
        },
      ],
      removeLink: [
        ["link.removed"],
        async () => {
          const { userId } = await newUser(server());
          const [id, linkId] = [randomUUID(), randomUUID()];
          const link = { id: linkId, userId, provider: "google", issuer: "i", subject: id, shared: false };
          await repositories().records.put(
            "identityLink",
            id,
            { ...link, displayName: null, email: null },
            { owner: `link:${userId}` },
          );
          const { items } = await admin().links.list({ user: userId });
          await admin().links.remove(items[0]?.linkId ?? linkId);
        },
      ],
      setClassRights: [
        ["class.changed"],
        async () => {
          const before = await admin().classes.list();
          const { rights = [] } = before.items.find(({ name }) => name === "Customer") ?? {};
          const less = rights.slice(1);
          const after = await admin().classes.setRights("Customer", less, { ifMatch: before });
          expect(after).toMatchObject({ name: "Customer", rights: less });
          expect(await codeOf(admin().classes.setRights("Customer", rights, { ifMatch: before }))).toBe(713);
          // The demo's rights, without an event of the table.
          restoring.push(async () => {
            await admin().classes.setRights("Customer", rights, { ifMatch: await admin().classes.list() });
          });
        },
      ],
      rotateKey: [
        ["jwtKey.rotated"],
        async () => {
          await admin()
            .keys.rotate("jwt")
            .catch(() => undefined);
          const { keyId } = await admin().keys.rotate("jwt");
          const [current, former] = (await admin().keys.list()).filter(({ kind }) => kind === "jwt");
          expect(current).toMatchObject({ keyId, acceptedUntil: null, sessions: null });
          expect(former).toMatchObject({ sessions: 0 });
        },
      ],
      changeLimits: [
        ["limits.changed", "limits.changed"],
        async () => {
          const name = "sessions.perUserLimit";
          const set = await admin().limits.change({ [name]: 9_000 }, { ifMatch: await admin().limits.get() });
          // No change.
          await admin().limits.change({}, { ifMatch: set });
          await admin().limits.change({ [name]: null }, { ifMatch: set });
        },
      ],
      switchSynchronization: [
        ["sync.disabled", "sync.enabled"],
        async () => {
          const { sync } = admin();
          const off = await sync.setEnabled(false, { ifMatch: await sync.get() });
          expect(await codeOf(sync.setEnabled(true, { ifMatch: '"1"' }))).toBe(713);
          expect(await sync.setEnabled(true, { ifMatch: off })).toEqual({ ...off, enabled: true });
        },
      ],
      putSyncSchema: [["syncSchema.stored"], () => admin().sync.putSchema(nameOfSchema(), invoices)],
      removeSyncSchema: [
        ["syncSchema.stored", "syncSchema.removed"],
        async () => {
          const name = nameOfSchema();
          await admin().sync.removeSchema(name, { ifMatch: await admin().sync.putSchema(name, invoices) });
        },
      ],
      setMaintenance: [
        ["maintenance.ended"],
        async () => admin().maintenance.set({ active: false }, { ifMatch: await admin().maintenance.get() }),
      ],
      giveProof: [["proof.given"], () => admin().prove({ password: "admin" })],
      logIn: [["login.accepted"], () => opened.logInAgain()],
      logOut: [["login.accepted", "logout.completed"], async () => (await opened.logInAgain()).logOut()],
    };
    const invoices = { classes: [{ className: "Invoice" }] };
    const nameOfSchema = () => `s${randomUUID()}`;
    const providerEntry = { name: "Google", data: { clientId: "public", clientSecret: "hidden" } };
    const restoring: (() => Promise<void>)[] = [];
    const newCustomUser = async () =>
      admin().customUsers.create({
        name: randomUUID(),
        password: "first password of it",
        userId: (await newUser(server())).userId,
      });
    /** The second factors of all owners, page by page. */
    const allFactors = async () => {
      const items = [];
      for (let after: string | undefined; ; ) {
        const page = await admin().factors.list({ after, limit: 1 });
        items.push(...page.items);
        if (page.next === null) return items;
        after = page.next;
      }
    };
    const putFactor = (subject: string) =>
      repositories().records.put(
        "secondFactor",
        `${subject} some app`,
        { subject, appName: "some app", sealedSecret: "sealed", confirmed: true, lastStep: -1, recoveryCodes: [] },
        { owner: subject },
      );

    describe("every changing route", () => {
      afterAll(async () => {
        for (const restore of restoring) await restore();
      });

      test("is in the table of changes", () => {
        const changing = declared.filter(({ method }) => method !== "GET").map(({ id }) => id);
        expect(Object.keys(changes).toSorted()).toEqual(changing.toSorted());
      });

      test.each(Object.entries(changes))("%s is audited with its actor", async (_operation, [types, change]) => {
        const before = await opened.lastSequence();
        await change();
        const { items } = await admin().audit.read({ after: String(before), actor: opened.adminId });
        expect(items.map(({ type }) => type).slice(0, types.length)).toEqual(types);
        for (const event of items) expect(event).toMatchObject({ outcome: 0, requestId: expect.stringMatching(/./) });
      });

      const sensitive = declared.filter(({ proof }) => proof === true);

      test("that is sensitive needs a recent proof", async () => {
        expect(sensitive.map(({ id }) => id).toSorted()).toEqual([
          "addBan",
          "changeApp",
          "changeAppKey",
          "changeCustomUser",
          "changeLimits",
          "changeUser",
          "createApp",
          "createAppKey",
          "createCustomUser",
          "createUser",
          "forgetDevice",
          "openConsoleSession",
          "putProvider",
          "putSyncSchema",
          "registerDevice",
          "removeBan",
          "removeCustomUser",
          "removeCustomUserFactors",
          "removeFactors",
          "removeFactorsOf",
          "removeLink",
          "removeProvider",
          "removeSyncSchema",
          "rotateKey",
          "setAppRule",
          "setClassRights",
          "setCustomUserPassword",
          "setUserPassword",
        ]);
        const sessionId = await opened.sessionIdOf(opened.appKey, "/admin/v1/login");
        // As time does.
        await repositories().records.remove("recentProof", { owner: `user:${opened.adminId}` });
        for (const { method, path, id } of sensitive) {
          const sent = { method, sessionId, headers: { appkey: opened.appKey }, body: {} };
          const { code, status } = await call(server(), path.replaceAll(/\{\w+\}/g, "x"), sent);
          expect([id, status, code]).toEqual([id, 403, "802"]);
        }
        expect(await codeOf(admin().prove({ password: "wrong" }))).toBe(302);
        expect(await codeOf(admin().users.create({ name: randomUUID(), password: "first password" }))).toBe(802);
        await admin().prove({ password: "admin" });
        await admin().users.create({ name: randomUUID(), password: "first password" });
      });
    });
  },
  { environment: withoutLockout, count: 2 },
);
