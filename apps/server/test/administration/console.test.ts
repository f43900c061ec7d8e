import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import { SallyportAdmin } from "@sallyport/client/admin";
import type { RecordKind } from "@sallyport/storage";
import { appRulesKind, banKind, type Database, removeExpiredConsoleKeys } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import type { RunningServer } from "../../src/index.ts";
import {
  AdministrationFixture,
  administrationKey,
  administrator,
  codeOf,
  consoleTicket,
  consoleWithKey,
  openConsole,
} from "./administration-fixture.ts";
import { type Answer, call } from "../client.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import { repositoriesOf } from "../repositories-of.ts";

const digests = new NodeDigests();

/** A client without a key, as a console before its ticket. */
const stranger = ({ url }: RunningServer, alias = "") => new SallyportAdmin({ baseUrl: url, alias, appKey: "" });

const codesOf = (answers: readonly Promise<unknown>[]) => Promise.all(answers.map(codeOf));

/** Tickets, app keys and sessions of consoles. */
onEngines(
  "console",
  (server, demo) => {
    const other = () => demo.servers()[1] as RunningServer;
    let fixture: AdministrationFixture;
    beforeAll(async () => {
      fixture = await AdministrationFixture.open(server());
    });

    const colleague = async () => {
      const name = `colleague ${randomUUID()}`;
      const password = "first password";
      const { userId } = await fixture.admin.users.create({ name, password, administrator: true });
      return { userId, user: name, password };
    };
    /** A console of an administrator with a session for the routes of applications. */
    const opened = async (person = administrator) => {
      const { admin, appKey, name, sessionId } = await openConsole(server(), person);
      const read = (at = server(), key = appKey) =>
        call(at, "/v1/objects/Customer?perPage=1", { sessionId, headers: { appkey: key } }).then(({ code }) => code);
      return { admin, appKey, name, sessionId, read };
    };

    describe("ticket", () => {
      test("is traded once for a key that is listed, opens nothing by itself, and needs the log-in", async () => {
        const ticket = await consoleTicket(server());
        const { appKey, name, expiresAt } = await stranger(server()).console.tradeTicket(ticket);
        expect(name).toMatch(/^console /);
        const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
        expect(hours).toBeGreaterThan(11.9);
        expect(hours).toBeLessThan(12.1);
        expect(await codeOf(stranger(other()).console.tradeTicket(ticket))).toBe(302);
        const headers = { appkey: appKey };
        expect((await call(server(), "/admin/v1/mail", { headers })).code).toBe("200");
        expect((await call(server(), "/_CheckSession", { headers })).code).toBe("101");
        const admin = new SallyportAdmin({ baseUrl: server().url, appKey });
        expect(await codeOf(admin.logIn({ user: "demo", password: "demo" }))).toBe(302);
        await admin.logIn(administrator);
        const { items } = await admin.appKeys.list({ limit: 500 });
        expect(items.find((key) => key.name === name)).toMatchObject({ scope: "admin", enabled: true });
        expect(items.map((key) => key.name)).not.toContain("(console)");
      });

      test("two who trade the same one at the same time: one gets a key", async () => {
        const ticket = await consoleTicket(server());
        const codes = await codesOf(
          [server(), other(), server(), other()].map((at) => stranger(at).console.tradeTicket(ticket)),
        );
        expect(codes.toSorted((a, b) => a - b)).toEqual([0, 302, 302, 302]);
      });

      test("is traded in a database where an app key has the name of the built-in one", async () => {
        const alias = "second";
        const admin = new SallyportAdmin({
          baseUrl: server().url,
          alias,
          appKey: await administrationKey(server(), alias),
        });
        await admin.logIn(administrator);
        await admin.appKeys.create({ name: "(console)" });
        const { appKey, name } = await stranger(server(), alias).console.tradeTicket(
          await consoleTicket(server(), alias),
        );
        const opened = new SallyportAdmin({ baseUrl: server().url, alias, appKey });
        await opened.logIn(administrator);
        await opened.console.openSession();
        const names = (await admin.appKeys.list({ limit: 500 })).items.map((key) => key.name);
        expect(names.filter((each) => each.includes("console"))).toEqual(["(console)", name]);
      });

      test("every other one gets the same answer", async () => {
        const [ticket, expired] = [await consoleTicket(server()), randomUUID()];
        const { records } = repositoriesOf(server());
        await records.put("consoleTicket", digests.sha256(expired), true, { lifetime: 1 });
        while ((await records.get("consoleTicket", [digests.sha256(expired)])).length > 0);
        const answers = [
          await call(server(), "/second/admin/v1/console/ticket", { method: "POST", body: { ticket } }),
          ...(await Promise.all(
            [
              { ticket: expired },
              { ticket: `${ticket}x` },
              { ticket: "" },
              { ticket: 1 },
              { ticket: "x".repeat(500) },
              {},
            ].map((body) => call(server(), "/admin/v1/console/ticket", { method: "POST", body })),
          )),
        ];
        const [first] = answers;
        expect(first).toMatchObject({ status: 403, code: "302" });
        for (const { status, body } of answers)
          expect({ status, message: body.status.statusMessage }).toEqual({
            status: 403,
            message: first?.body.status.statusMessage,
          });
        await stranger(server()).console.tradeTicket(ticket);
      });

      test("its key ends when an administrator disables it, and after 12 hours, also in its sessions", async () => {
        for (const end of ["disabled", "expired"] as const) {
          const { admin, appKey, name, read } = await opened();
          expect(await read()).toBe("0");
          const { items } = await fixture.admin.appKeys.list({ limit: 500 });
          const id = items.find((key) => key.name === name)?.appKeyId as string;
          if (end === "disabled")
            await fixture.admin.appKeys.setEnabled(id, false, { ifMatch: await fixture.admin.appKeys.get(id) });
          else {
            const [digest] = (
              await repositoriesOf(server()).records.list<string>("consoleKey", { after: null, limit: 500 })
            ).filter(({ value }) => value === name);
            await repositoriesOf(server()).records.remove("consoleKey", { ids: [digest?.id as string] });
          }
          expect([end, await read(), await read(other()), await codeOf(admin.mail.waiting())]).toEqual([
            end,
            "101",
            "101",
            101,
          ]);
          expect((await call(server(), "/admin/v1/mail", { headers: { appkey: appKey } })).code).toBe("101");
          const listed = (await fixture.admin.appKeys.list({ limit: 500 })).items.map((key) => key.name);
          expect([end, listed.includes(name)]).toEqual([end, end === "disabled"]);
        }
      });

      test("its key is removed after its end, and no other", async () => {
        const { storage } = server().databases.get("") as Database;
        const names = async () => (await storage.repositories.appKeys.list(null, 500)).map((key) => key.name);
        const [ended, live] = [await consoleWithKey(server()), await consoleWithKey(server())];
        const keys = await storage.repositories.records.list<string>("consoleKey", { after: null, limit: 500 });
        const ids = keys.filter(({ value }) => value === ended.name).map(({ id }) => id);
        await storage.repositories.records.remove("consoleKey", { ids });
        const before = await names();
        expect(await removeExpiredConsoleKeys(storage, 500)).toBeGreaterThan(0);
        const after = await names();
        expect([after.includes(ended.name), after.includes(live.name)]).toEqual([false, true]);
        const others = before.filter((name) => !name.startsWith("console "));
        expect(after.filter((name) => !name.startsWith("console "))).toEqual(others);
        expect(await codeOf(ended.admin.logIn(administrator))).toBe(101);
        await live.admin.logIn(administrator);
      });
    });

    describe("session", () => {
      test("has the person's own rights on the routes of applications, on every node, and opens no administration", async () => {
        const { sessionId, appKey, read } = await opened();
        expect(sessionId).toMatch(/^console\./);
        expect([await read(), await read(other())]).toEqual(["0", "0"]);
        const checked = await call(server(), "/_CheckSession", { sessionId, headers: { appkey: appKey } });
        expect(checked.code).toBe("0");
        const answer = await call(server(), "/admin/v1/mail", { sessionId, headers: { appkey: appKey } });
        expect(answer.code).toBe("201");
      });

      test("is refused with any other key, and for another basis", async () => {
        const [one, two] = [await opened(), await opened(await colleague())];
        for (const [key, code] of [
          ["demo-app-key", "101"],
          [two.appKey, "201"],
          ["(console)", "101"],
          ["0".repeat(64), "101"],
          ["", "100"],
        ] as const)
          expect([key, await one.read(server(), key)]).toEqual([key, code]);
        const ambiguous = await fetch(`${server().url}/_CheckSession`, {
          headers: [
            ["sessionid", one.sessionId],
            ["appkey", "demo-app-key"],
            ["appkey", one.appKey],
          ],
        });
        expect(((await ambiguous.json()) as Answer["body"]).status.internalStatus).toBe("101");
        const [, basis] = one.sessionId.split(".");
        const forged = two.sessionId.replace(/\.[0-9a-f]{64}\./, `.${basis}.`);
        const { code } = await call(server(), "/_CheckSession", { sessionId: forged, headers: { appkey: one.appKey } });
        expect(code).toBe("201");
        expect(await one.read()).toBe("0");
      });

      test("needs a recent proof, and a new one replaces the former", async () => {
        const person = await colleague();
        const { admin, read } = await opened(person);
        await repositoriesOf(server()).records.remove("recentProof", { owner: `user:${person.userId}` });
        expect(await codeOf(admin.console.openSession())).toBe(802);
        expect(await read()).toBe("0");
        await admin.prove({ password: person.password });
        await admin.console.openSession();
        expect(await read()).toBe("201");
      });

      test("of several that open at the same time, one stays", async () => {
        const { admin, appKey } = await consoleWithKey(server());
        await admin.logIn(administrator);
        const opening = async (at: RunningServer) => {
          const client = new SallyportAdmin({ baseUrl: at.url, appKey });
          client.resume(admin.sessionId as string);
          return (await client.console.openSession()).sessionId;
        };
        const ids = await Promise.all([server(), other(), server(), other(), server(), other()].map(opening));
        const codes = await Promise.all(
          ids.map(async (sessionId) => {
            const headers = { appkey: appKey };
            return (await call(server(), "/v1/objects/Customer?perPage=1", { sessionId, headers })).code;
          }),
        );
        expect(codes.toSorted()).toEqual(["0", "201", "201", "201", "201", "201"]);
      });

      test.each<[end: string, act: (admin: SallyportAdmin, userId: string) => Promise<unknown>]>([
        ["logs out", (admin) => admin.logOut()],
        [
          "loses the session to a colleague",
          async (admin, userId) => {
            const { items } = await fixture.admin.sessions.list({ user: userId });
            const own = items.find(({ id }) => digests.sha256(admin.sessionId as string).startsWith(id));
            await fixture.admin.sessions.end(own?.id as string);
          },
        ],
        [
          "loses the rights",
          async (_admin, userId) => {
            const ifMatch = await fixture.admin.users.get(userId);
            await fixture.admin.users.change(userId, { administrator: false }, { ifMatch });
          },
        ],
        [
          "is disabled",
          async (_admin, userId) => {
            const ifMatch = await fixture.admin.users.get(userId);
            await fixture.admin.users.change(userId, { enabled: false }, { ifMatch });
          },
        ],
        ["is banned", (_admin, userId) => fixture.admin.bans.add({ userId })],
        ["gets another password", (_admin, userId) => fixture.admin.users.setPassword(userId, "another password")],
      ])("ends on every node when the administrator %s", async (end, act) => {
        const person = await colleague();
        const { admin, read } = await opened(person);
        expect([await read(), await read(other())]).toEqual(["0", "0"]);
        await act(admin, person.userId);
        expect([await read(other()), await read()]).toEqual(["201", "201"]);
        if (end !== "loses the rights")
          expect((await fixture.admin.sessions.list({ user: person.userId })).items).toEqual([]);
      });

      test("is continued by the client of applications, and its log-out leaves that of the administrator", async () => {
        const { admin, appKey, sessionId } = await opened();
        const client = new SallyportClient({ baseUrl: server().url, appKey });
        client.resume(sessionId);
        expect((await client.listObjects("Customer", { perPage: 1 }))["~Elements"]).toHaveLength(1);
        expect(await client.checkSession()).toBe(true);
        expect(client.sessionId).toBe(sessionId);
        await client.logOut();
        expect(client.sessionId).toBeUndefined();
        client.resume(sessionId);
        expect([await client.checkSession(), await codeOf(client.listObjects("Customer"))]).toEqual([false, 201]);
        await admin.mail.waiting();
      });

      test("passes the gate, which knows bans and app rules that have ended no session", async () => {
        const { records } = repositoriesOf(server());
        const { admin } = await consoleWithKey(server());
        const person = await colleague();
        await codeOf(fixture.admin.apps.create({ name: "administration" }));
        const rules: readonly (readonly [RecordKind<unknown>, number, () => Promise<unknown>])[] = [
          [banKind, 318, () => fixture.admin.bans.add({ userId: person.userId })],
          [
            appRulesKind,
            403,
            () => fixture.admin.appRules.set({ app: "administration", access: "forbid", userId: person.userId }),
          ],
        ];
        for (const [kind, code, add] of rules) {
          const before = new Set((await records.list(kind, { after: null, limit: 500 })).map(({ id }) => id));
          await add();
          const added = (await records.list(kind, { after: null, limit: 500 })).filter(({ id }) => !before.has(id));
          expect(added).toHaveLength(1);
          const { id, owner, value } = added[0] as (typeof added)[0];
          await records.remove(kind, { ids: [id] });
          await admin.logIn(person);
          await admin.console.openSession();
          await records.put<unknown>(kind, id, value, { owner });
          expect(await codeOf(admin.console.openSession())).toBe(code);
          await records.remove(kind, { ids: [id] });
        }
      });

      test("the log-in of applications takes neither the built-in key nor a key of a console", async () => {
        const { appKey } = await opened();
        for (const key of ["(console)", "0".repeat(64), appKey, " "]) {
          const body = { user: "admin", pass: "admin", appNames: ["demo-app"] };
          const { code } = await call(server(), "/v1/login", { method: "POST", headers: { appkey: key }, body });
          expect([key, code]).toEqual([key, key === " " ? "100" : "101"]);
        }
        expect(await codeOf(fixture.admin.appKeys.create({ name: "(console)" }))).toBe(307);
      });
    });
  },
  { environment: withoutLockout, count: 2 },
);

onEngines(
  "guesses of tickets",
  (server) => {
    test("are delayed like those of passwords, and then the right one has the same answer", async () => {
      const ticket = await consoleTicket(server());
      const guess = (text: string) =>
        call(server(), "/admin/v1/console/ticket", { method: "POST", body: { ticket: text } });
      let answer = await guess("wrong");
      expect(answer.headers["retry-after"]).toBeUndefined();
      for (let count = 1; count <= 3; count += 1) answer = await guess("wrong");
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      const right = await guess(ticket);
      expect([right.status, right.body]).toEqual([answer.status, answer.body]);
      expect(Number(right.headers["retry-after"])).toBeGreaterThan(0);
    });
  },
  { environment: { THROTTLE_USER_MAX_FAILURES: "2", THROTTLE_USER_MAX_DELAY: "1d" } },
);
