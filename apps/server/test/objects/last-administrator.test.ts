import { randomUUID } from "node:crypto";
import { MacroStore } from "@sallyport/core";
import { seesAll } from "@sallyport/storage";
import { AdministrationFixture, codeOf } from "../administration/administration-fixture.ts";
import { multiResults, senderOf } from "../client.ts";
import { onEngines } from "../engines.ts";
import { sessionsOf } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { objectEnvironment } from "./object-environment.ts";

const guest = "Guest";
const note = "Note";
const schema = "guests";
const everything = ["read", "create", "write", "delete"];

/** The last administrator who can log in to administration, whom an administrator with another open session deletes. */
onEngines(
  "deletions of the last administrator",
  (server) => {
    const sessions = sessionsOf(server, "session", "admin");
    const send = senderOf(server);
    const repositories = () => repositoriesOf(server());
    const last = { id: "", uuid: "", host: "", hostUuid: "" };
    const asAdmin = (path: string, method: "POST" | "PUT" | "DELETE", body?: unknown) =>
      send(sessions.admin, path, method, body);
    const module = (name: string, declaration: string) =>
      new MacroStore(repositories()).put(
        {
          name,
          text: `import { defineHook, defineMacro } from "@sallyport/macros";\nexport default ${declaration};\n`,
          language: "js",
          changedBy: "test",
        },
        null,
      );
    const stored = async (...ids: readonly string[]) => (await repositories().objects.get(ids, seesAll)).length;

    beforeAll(async () => {
      const { accounts, objects } = repositories();
      for (const [name, base, attributes] of [
        [note, null, [{ name: "Text", type: "string" }]],
        [guest, "User", [{ name: "Host", type: "reference", target: note, onDelete: "cascade" }]],
      ] as const) {
        const definition = { base, attributes, rights: [{ group: "*", permissions: everything }] };
        expect(await asAdmin(`/v1/model/structure/${name}`, "PUT", definition)).toMatchObject({ code: "0" });
      }
      const [host] = await objects.insert([{ className: note, attributes: { Text: "host" } }]);
      const [user] = await objects.insert([
        {
          className: guest,
          attributes: { Name: "last", Host: host?.id as string },
          links: { Host: [host?.id as string] },
        },
      ]);
      Object.assign(last, { id: user?.id, uuid: user?.uuid, host: host?.id, hostUuid: host?.uuid });
      const secret = (await accounts.find({ realm: "database", loginName: "reader" }, [])).account?.secret as string;
      await accounts.create({ userId: last.id, loginName: "last", secret, administrator: true }, "last");

      const opened = await AdministrationFixture.open(server());
      await opened.admin.sync.putSchema(schema, { classes: [{ className: guest }, { className: note }] });
      const client = opened.clientOf();
      await client.logIn({ user: "last", password: "reader" });
      await client.apps.create({ name: "administration" });
      await client.appRules.set({ app: "administration", access: "forbid", userId: opened.adminId });

      await module(
        "Delete",
        `defineMacro({ access: "everyone", run: ({ input, objects }) => objects.delete(...input) })`,
      );
      await module("Calls", `defineMacro({ access: "everyone", run: ({ input, call }) => call("Delete", input) })`);
      await module(
        "Separate",
        `defineMacro({ access: "everyone", transaction: false, run: ({ input, objects }) => objects.delete(...input) })`,
      );
      for (const on of ["beforeSave", "afterSave", "beforeDelete", "afterDelete"])
        await module(
          on,
          `defineHook({ on: "${on}", classes: ["${note}"], run: async ({ object }, { objects }) => {
            if (object.Text?.startsWith("${on} ")) await objects.delete(object.Text.split(" ")[1]);
          } })`,
        );
    });
    afterEach(async () => {
      expect(await stored(last.id, last.host)).toBe(2);
      const { account } = await repositories().accounts.find({ id: last.id }, []);
      expect(account).toMatchObject({ loginName: "last", administrator: true });
    });

    const refused = { status: 500, code: "718" };
    const newNote = async (Text: string) =>
      (await repositories().objects.insert([{ className: note, attributes: { Text } }]))[0] as {
        readonly id: string;
        readonly uuid: string;
      };

    test("by requests and their items are refused, also of an object whose deletion includes the user", async () => {
      for (const id of [last.id, last.host])
        for (const query of ["", "?moveToRecycler=true"]) {
          const path = `/v1/object/${id}${query}`;
          expect(await asAdmin(path, "DELETE")).toMatchObject(refused);
          const items = [{ method: "DELETE", path }];
          const separately = await asAdmin("/v1/multi", "POST", items);
          expect(multiResults(separately.body.data)).toMatchObject([{ httpStatus: 500, result: 718 }]);
          expect(await asAdmin("/v1/multi?atomic=true", "POST", items)).toMatchObject(refused);
        }
    });

    test.each(["Delete", "Calls", "Separate"])("by the macro %s are refused", async (macro) => {
      for (const id of [last.id, last.host])
        for (const input of [[id], [id, { moveToRecycler: true }]])
          expect(await asAdmin(`/v1/execute/${macro}`, "POST", input)).toMatchObject(refused);
    });

    test.each(["beforeSave", "afterSave"])("by the hook %s are refused, and nothing is saved", async (on) => {
      const Text = `${on} ${last.id}`;
      const { id } = await newNote("kept");
      expect(await asAdmin(`/v1/object/${note}`, "POST", { Text })).toMatchObject(refused);
      expect(await send(sessions.admin, `/v1/object/${id}`, "PATCH", { Text })).toMatchObject(refused);
      const put = { syncVersion: "0", className: note, fields: { Text } };
      expect(await asAdmin(`/v1/sync/${schema}/${randomUUID()}`, "PUT", put)).toMatchObject(refused);
      const ops = [{ id: randomUUID(), op: "put", uuid: randomUUID(), ...put }];
      const { body } = await asAdmin(`/v1/sync/${schema}/push`, "POST", { syncVersion: "0", ops });
      expect(body.data.results).toMatchObject([{ internalStatus: "718" }]);
    });

    test.each(["beforeDelete", "afterDelete"])("by the hook %s are refused, and nothing is deleted", async (on) => {
      const { id, uuid } = await newNote(`${on} ${last.id}`);
      expect(await asAdmin(`/v1/object/${id}`, "DELETE")).toMatchObject(refused);
      expect(await asAdmin(`/v1/execute/Delete`, "POST", [id])).toMatchObject(refused);
      expect(await asAdmin(`/v1/sync/${schema}/${uuid}`, "DELETE", { syncVersion: "1" })).toMatchObject(refused);
      expect(await stored(id)).toBe(1);
    });

    test("by the hook of a restored object are refused", async () => {
      const { id } = await newNote(`beforeSave ${last.id}`);
      expect(await asAdmin(`/v1/object/${id}?moveToRecycler=true`, "DELETE")).toMatchObject({ code: "0" });
      expect(await asAdmin(`/v1/object/${id}/restore`, "POST")).toMatchObject(refused);
      expect(await stored(id)).toBe(0);
    });

    test("by synchronization are refused", async () => {
      for (const uuid of [last.uuid, last.hostUuid]) {
        const path = `/v1/sync/${schema}`;
        expect(await asAdmin(`${path}/${uuid}`, "DELETE", { syncVersion: "1" })).toMatchObject(refused);
        const ops = [{ id: randomUUID(), op: "delete", uuid, syncVersion: "1" }];
        const { body } = await asAdmin(`${path}/push`, "POST", { syncVersion: "0", ops });
        expect(body.data.results).toMatchObject([{ uuid, internalStatus: "718" }]);
        expect(await asAdmin(`${path}/push`, "POST", { syncVersion: "0", ops, atomic: true })).toMatchObject(refused);
      }
    });
  },
  { environment: objectEnvironment },
);

/** The last administrator who can log in to administration as a member of a group, whose membership an administrator with another open session takes. */
onEngines(
  "changes of the groups of the last administrator",
  (server) => {
    const sessions = sessionsOf(server, "session", "admin");
    const send = senderOf(server);
    const repositories = () => repositoriesOf(server());
    const last = { id: "", uuid: "" };
    const group = { keepers: "", others: "" };
    let fixture: AdministrationFixture;
    let client: AdministrationFixture["admin"];
    const asAdmin = (path: string, method: "POST" | "PUT" | "PATCH" | "DELETE", body?: unknown) =>
      send(sessions.admin, path, method, body);
    const regroup = async ({ users }: AdministrationFixture["admin"], ...groups: readonly string[]) =>
      users.change(last.id, { groups: [...groups] }, { ifMatch: await users.get(last.id) });
    const storedLast = async () => (await repositories().objects.get([last.id], seesAll))[0];
    const groupsOfLast = async () => (await storedLast())?.attributes["Groups"];

    beforeAll(async () => {
      fixture = await AdministrationFixture.open(server());
      const { admin } = fixture;
      for (const name of ["keepers", "others"] as const) group[name] = (await admin.groups.create({ name })).groupId;
      await admin.apps.create({ name: "administration" });
      last.id = (await admin.users.create({ name: "last", password: "one of many", administrator: true })).userId;
      await regroup(admin, group.keepers, group.others);
      last.uuid = (await storedLast())?.uuid as string;
      await admin.sync.putSchema(schema, { classes: [{ className: "User" }, { className: "UserGroup" }] });
      client = fixture.clientOf();
      await admin.appRules.set({ app: "administration", access: "allow", groupId: group.keepers });
      await client.logIn({ user: "last", password: "one of many" });
      await client.appRules.set({ app: "administration", access: "forbid" });
      const modules = {
        Leave: `defineMacro({ access: "everyone", run: ({ input, objects }) => objects.update(input.id, { Groups: [] }) })`,
        OnSave: `defineHook({ on: "beforeSave", classes: ["User"], run: ({ object }) => {
          if (object.Description === "leaves") object.Groups = [];
        } })`,
      };
      for (const [name, declaration] of Object.entries(modules))
        await new MacroStore(repositories()).put(
          {
            name,
            text: `import { defineHook, defineMacro } from "@sallyport/macros";\nexport default ${declaration};\n`,
            language: "js",
            changedBy: "test",
          },
          null,
        );
    });
    afterEach(async () => {
      expect(await groupsOfLast()).toContain(group.keepers);
      await client.logIn({ user: "last", password: "one of many" });
    });

    const invalid = { status: 400, code: "307" };
    const refused = { status: 500, code: "718" };
    const leave = () => ({ Groups: [group.others] });
    const named = () => `query=${encodeURIComponent(JSON.stringify({ where: { Name: "last" } }))}`;
    const userPath = () => `/v1/object/${last.id}`;
    const attempts = [
      ["a request for one object", userPath, "PATCH", leave],
      ["a request for matching objects", () => `/v1/objects/User?${named()}`, "PATCH", leave],
      [
        "a request for matching objects with a hook",
        () => `/v1/objects/User?${named()}`,
        "PATCH",
        () => ({ Description: "leaves" }),
      ],
      ["a hook", userPath, "PATCH", () => ({ Description: "leaves" })],
      ["a macro", () => "/v1/execute/Leave", "POST", () => ({ id: last.id })],
      [
        "items of an atomic request",
        () => "/v1/multi?atomic=true",
        "POST",
        () => [{ method: "PATCH", path: userPath(), body: leave() }],
      ],
    ] as const;

    test.each(attempts)("by %s are refused", async (_what, path, method, body) => {
      expect(await asAdmin(path(), method, body())).toMatchObject(invalid);
    });

    test("by separate items and by synchronization are refused", async () => {
      const items = [{ method: "PATCH", path: userPath(), body: leave() }];
      const separately = await asAdmin("/v1/multi", "POST", items);
      expect(multiResults(separately.body.data)).toMatchObject([{ httpStatus: 400, result: 307 }]);
      const put = { syncVersion: String((await storedLast())?.version), fields: { Groups: [] } };
      expect(await asAdmin(`/v1/sync/${schema}/${last.uuid}`, "PUT", put)).toMatchObject(invalid);
      const ops = [{ id: randomUUID(), op: "put", uuid: last.uuid, ...put }];
      const { body } = await asAdmin(`/v1/sync/${schema}/push`, "POST", { syncVersion: "0", ops });
      expect(body.data.results).toMatchObject([{ internalStatus: "307" }]);
    });

    test("by administrators are refused, and so is the deletion of the group", async () => {
      expect(await codeOf(regroup(client))).toBe(307);
      expect(await asAdmin(`/v1/object/${group.keepers}`, "DELETE")).toMatchObject(refused);
      expect(await asAdmin(`/v1/object/${group.keepers}?moveToRecycler=true`, "DELETE")).toMatchObject({ code: "0" });
      await client.logIn({ user: "last", password: "one of many" });
      expect(await asAdmin(`/v1/recycler/${group.keepers}`, "DELETE")).toMatchObject(refused);
      expect((await asAdmin("/v1/recycler", "DELETE")).body.data).toEqual({ "~Count": 0 });
      expect(await asAdmin(`/v1/object/${group.keepers}/restore`, "POST")).toMatchObject({ code: "0" });
    });

    test("are possible if the administrator can still log in", async () => {
      const groups = [group.keepers];
      expect(await asAdmin(userPath(), "PATCH", { Groups: groups })).toMatchObject({ code: "0" });
      await regroup(client, ...groups, group.others);
      expect(await asAdmin(`/v1/object/${group.others}`, "DELETE")).toMatchObject({ code: "0" });
      expect(await groupsOfLast()).toEqual(groups);
    });
  },
  { environment: objectEnvironment },
);
