import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { AdministeredUserData, OwnRightsData } from "@sallyport/client/admin";
import { type AdministrationRights, administrationOperations, operationsOf } from "@sallyport/contract";
import { administrationRightsOf, type Database } from "@sallyport/core";
import type { Account } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { AdministrationFixture, codeOf, openConsole } from "./administration-fixture.ts";
import { call } from "../client.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import { repositoriesOf } from "../repositories-of.ts";

const operations = operationsOf(administrationOperations).filter(({ access }) => access === "session");

/** Besides those of `all`, who take every operation. An operation in neither list is for `all` alone. */
const taken: Readonly<Record<"view" | "audit", readonly string[]>> = {
  view: [
    "checkProvider",
    "examineDatabase",
    "getApp",
    "getAppKey",
    "getCustomUser",
    "getGroup",
    "getLimits",
    "getMacroHistory",
    "getMaintenance",
    "getOwnRights",
    "getProvider",
    "getSyncSchema",
    "getSynchronization",
    "getUser",
    "getWaitingMail",
    "giveProof",
    "listAllFactors",
    "listAppKeys",
    "listAppRules",
    "listApps",
    "listBans",
    "listClassRights",
    "listCustomUserFactors",
    "listCustomUsers",
    "listDevices",
    "listFactors",
    "listGroups",
    "listKeys",
    "listLinks",
    "listMacros",
    "listProviders",
    "listSessions",
    "listSyncSchemas",
    "listUsers",
    "logOut",
    "openConsoleSession",
  ],
  audit: [
    "explainRefusal",
    "getOwnRights",
    "giveProof",
    "listGroups",
    "listUsers",
    "logOut",
    "openConsoleSession",
    "readAudit",
  ],
};

const password = "first password";

async function* singly<T>(chunks: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const chunk of chunks) yield* chunk;
}

/** What administrators may do by their rights. */
onEngines(
  "rights of administrators",
  (server) => {
    let opened: AdministrationFixture;
    const admin = () => opened.admin;
    beforeAll(async () => {
      opened = await AdministrationFixture.open(server());
    });

    const create = async (given: { readonly rights?: AdministrationRights; readonly administrator?: boolean }) => {
      const user = await admin().users.create({ name: `person ${randomUUID()}`, password, ...given });
      return { ...user, user: user.name, password };
    };
    const open = async (rights: AdministrationRights) => {
      const person = await create({ rights });
      const client = opened.clientOf();
      await client.logIn(person);
      return { person, client };
    };
    const change = async (userId: string, given: { rights?: AdministrationRights; administrator?: boolean }) =>
      admin().users.change(userId, given, { ifMatch: await admin().users.get(userId) });
    const shown = ({ administrator, rights }: AdministeredUserData) => [administrator, rights];

    test.each(["all", "view", "audit"] as const)("%s: the operations that it takes", async (rights) => {
      const { client } = await open(rights);
      const refused: string[] = [];
      // The end of the session comes last.
      for (const { id, method, path } of operations.toSorted((one) => (one.id === "logOut" ? 1 : -1))) {
        const sent = { method, sessionId: client.sessionId as string, headers: { appkey: opened.appKey }, body: {} };
        const { code, status } = await call(server(), path.replaceAll(/\{\w+\}/g, "x"), sent);
        expect([id, code]).not.toEqual([id, expect.stringMatching(/^20\d$/)]);
        if (code === "404") {
          expect(status).toBe(403);
          refused.push(id);
        }
      }
      const others = rights === "all" ? [] : operations.filter(({ id }) => !taken[rights].includes(id));
      expect(refused.toSorted()).toEqual(others.map(({ id }) => id).toSorted());
    });

    test("the present rights decide about an open session", async () => {
      const { person, client } = await open("view");
      const reads = () => Promise.all([codeOf(client.mail.waiting()), codeOf(client.audit.read())]);
      const own: OwnRightsData["rights"] = await client.rights();
      expect([own, await reads()]).toEqual(["view", [0, 404]]);
      expect(shown(await change(person.userId, { rights: "audit" }))).toEqual([true, "audit"]);
      expect([await client.rights(), await reads()]).toEqual(["audit", [404, 0]]);
      await change(person.userId, { rights: "all" });
      expect([await client.rights(), await reads()]).toEqual(["all", [0, 0]]);
      await change(person.userId, { rights: "view" });
      expect(await codeOf(client.groups.create({ name: randomUUID() }))).toBe(404);
      expect(shown(await change(person.userId, { administrator: false }))).toEqual([false, null]);
      expect(await codeOf(client.rights())).toBe(201);
      expect(await codeOf(opened.clientOf().logIn(person))).toBe(302);
    });

    test("requests without rights mean what they meant before", async () => {
      expect(shown(await create({ administrator: true }))).toEqual([true, "all"]);
      expect(shown(await create({}))).toEqual([false, null]);
      expect(await codeOf(create({ administrator: false, rights: "view" }))).toBe(307);
      const { userId } = await create({ administrator: true, rights: "view" });
      expect(shown(await change(userId, { administrator: true }))).toEqual([true, "view"]);
      expect(await codeOf(change(userId, { administrator: false, rights: "all" }))).toBe(307);
      const listed = await admin().users.list({ limit: 500 });
      expect(listed.items.find((user) => user.userId === userId)).toEqual(await admin().users.get(userId));
      const found = await admin().users.list({ search: (await admin().users.get(userId)).name });
      expect(found.items.map(shown)).toEqual([[true, "view"]]);
    });

    test("limited rights free from no right on objects, also in a console", async () => {
      const codes = async (person: { readonly user: string; readonly password: string }) => {
        const { sessionId, appKey } = await openConsole(server(), person);
        const sent = { sessionId, headers: { appkey: appKey } };
        const list = await call(server(), "/v1/objects/Customer", sent);
        const create = await call(server(), "/v1/object/Customer", { ...sent, method: "POST", body: {} });
        const remove = await call(server(), "/v1/model/structure/Customer", { ...sent, method: "DELETE" });
        return [list.code, create.code, remove.code];
      };
      const withAll = await codes(await create({ rights: "all" }));
      expect(withAll[0]).toBe("0");
      for (const rights of ["view", "audit"] as const)
        expect(await codes(await create({ rights }))).toEqual(["304", "304", "404"]);
    });

    test("a session for objects ends with the rights on which it rests", async () => {
      const person = await create({ rights: "view" });
      const { sessionId, appKey } = await openConsole(server(), person);
      const ask = async () => (await call(server(), "/_CheckSession", { sessionId, headers: { appkey: appKey } })).code;
      expect(await ask()).toBe("0");
      await change(person.userId, { administrator: false });
      expect(await ask()).toBe("201");
    });

    test("of two administrators who lower each other at the same time, one keeps all rights", async () => {
      const [one, other] = [await open("all"), await open("all")];
      const [ofOne, ofOther] = [
        await admin().users.get(one.person.userId),
        await admin().users.get(other.person.userId),
      ];
      const codes = await Promise.all([
        codeOf(one.client.users.change(other.person.userId, { rights: "view" }, { ifMatch: ofOther })),
        codeOf(other.client.users.change(one.person.userId, { rights: "audit" }, { ifMatch: ofOne })),
      ]);
      expect(codes.filter((code) => code === 0)).toHaveLength(1);
      const left = [await admin().users.get(one.person.userId), await admin().users.get(other.person.userId)];
      expect(left.filter(({ rights }) => rights === "all")).toHaveLength(1);
    });

    test("a request that waits for the end of its body has the rights of then", async () => {
      const { person, client } = await open("all");
      const name = `late ${randomUUID()}`;
      const text = JSON.stringify({ name, password, rights: "all" });
      const headers = {
        appkey: opened.appKey,
        sessionid: client.sessionId as string,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      };
      const sent = request(`${server().url}/admin/v1/users`, { method: "POST", headers });
      sent.write(text.slice(0, -1));
      // Until it is admitted. Before, it is refused in any case.
      await pause(300);
      await change(person.userId, { rights: "view" });
      sent.end(text.slice(-1));
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      expect(await json(answer)).toMatchObject({ status: { internalStatus: "404" } });
      expect((await admin().users.list({ search: name })).items).toEqual([]);
    });

    test("nobody raises the own rights by a request that waited for their loss", async () => {
      const { person, client } = await open("all");
      const path = `/admin/v1/users/${person.userId}`;
      const asAdmin = { sessionId: admin().sessionId as string, headers: { appkey: opened.appKey } };
      const tagOf = async () => String((await call(server(), path, asAdmin)).headers["etag"]);
      const lower = () => change(person.userId, { rights: "view" });
      await lower();
      const tag = await tagOf();
      for (let round = 0; round < 5; round += 1) {
        await change(person.userId, { rights: "all" });
        const headers = { appkey: opened.appKey, "if-match": tag };
        const raise = {
          method: "PATCH",
          sessionId: client.sessionId as string,
          headers,
          body: { rights: "all" },
        } as const;
        const raises = Array.from({ length: 10 }, () => call(server(), path, raise));
        await lower();
        const codes = (await Promise.all(raises)).map(({ code }) => code);
        expect(codes).not.toContain("0");
        expect(await tagOf()).toBe(tag);
      }
    });

    test("a dump has the rights", async () => {
      const { userId } = await create({ rights: "audit" });
      const { storage } = server().databases.get("") as Database;
      const restored = new MemoryStorage();
      await restored.migrate();
      expect(await restored.archive.import(singly(storage.archive.export()))).toBe("imported");
      const { accounts, records } = restored.repositories;
      const { account } = await accounts.find({ id: userId }, []);
      expect(await administrationRightsOf({ records }, account as Account)).toBe("audit");
    });

    test("administrators cannot lower themselves", async () => {
      for (const rights of ["view", "audit"] as const)
        expect(await codeOf(change(opened.adminId, { rights }))).toBe(307);
      expect(shown(await change(opened.adminId, { rights: "all" }))).toEqual([true, "all"]);
    });

    test("changes of rights are audited, and a removed user leaves none", async () => {
      const before = String(await opened.lastSequence());
      const { userId } = await create({ rights: "view" });
      await change(userId, { rights: "audit" });
      await change(userId, { rights: "all" });
      await change(userId, { rights: "view" });
      const { items } = await admin().audit.read({ after: before, subject: userId });
      const ofRights = ({ type, changes }: (typeof items)[number]) =>
        [type, ...changes.filter(({ name }) => name === "rights").flatMap(({ before: b, after: a }) => [b, a])].join(
          " ",
        );
      expect(items.map(ofRights)).toEqual([
        "account.created  view",
        "account.changed view audit",
        "account.promoted audit all",
        "account.demoted all view",
      ]);
      const { records } = repositoriesOf(server());
      const stored = () => records.list("administrationRights", { owner: `user:${userId}`, after: null, limit: 2 });
      expect(await stored()).toMatchObject([{ id: userId, value: "view" }]);
      const { sessionId, appKey } = await openConsole(server());
      const sent = { method: "DELETE", sessionId, headers: { appkey: appKey } } as const;
      expect((await call(server(), `/v1/object/${userId}`, sent)).code).toBe("0");
      expect(await stored()).toEqual([]);
    });
  },
  { environment: withoutLockout },
);
