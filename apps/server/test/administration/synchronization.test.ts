import { randomUUID } from "node:crypto";
import { type Database, syncSchemaKind } from "@sallyport/core";
import { AdministrationFixture, codeOf } from "./administration-fixture.ts";
import { logIn } from "../cases/run-cases.ts";
import { call } from "../client.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import type { PostgresFixture } from "../postgres-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { newUser } from "../new-user.ts";

/** Schemas of synchronization, and the explanation of a missing object, by the client of administrators. */
onEngines(
  "administration of synchronization",
  (server, demo) => {
    let opened: AdministrationFixture;
    let schema: string;
    let userId: string;
    const sync = () => opened.admin.sync;
    const invoices = { classes: [{ className: "Invoice" }] };
    const database = () => server().databases.get("") as Database;

    beforeAll(async () => {
      opened = await AdministrationFixture.open(server());
      schema = `s${randomUUID()}`;
      await sync().putSchema(schema, { ...invoices, where: { Number: { $like: "why-%" } } });
      ({ userId } = await newUser(server()));
      const { items } = await opened.admin.groups.list();
      const groups = items.flatMap(({ name, groupId }) => (name === "Sales" ? [groupId] : []));
      await opened.admin.users.change(userId, { groups }, { ifMatch: await opened.admin.users.get(userId) });
    });
    const create = async (number = "why-1", readers: readonly string[] | null = null) => {
      const invoice = { className: "Invoice", attributes: { Number: number }, readers };
      const [{ id = "", uuid = "" } = {}] = await repositoriesOf(server()).objects.insert([invoice]);
      return { id, uuid };
    };

    describe("schemas", () => {
      test("have defaults, are replaced by their version, and are removed", async () => {
        const name = `s${randomUUID()}`;
        const stored = await sync().putSchema(name, invoices);
        const classes = [{ className: "Invoice", fields: null }];
        expect(stored).toEqual({ name, classes, where: null, direction: "both", conflicts: "client", pageSize: 500 });
        expect(await codeOf(sync().putSchema(name, invoices))).toBe(307);
        const less = {
          classes: [{ className: "Invoice", fields: ["Number"] }],
          where: { Number: "1" },
          direction: "pull",
          conflicts: { macro: "Merge" },
          pageSize: 5_000,
        } as const;
        const changes = await Promise.all(
          Array.from({ length: 4 }, () =>
            codeOf(
              sync().putSchema(
                name,
                { ...less, classes: [{ className: "Invoice", fields: ["Number"] }] },
                { ifMatch: stored },
              ),
            ),
          ),
        );
        expect(changes.toSorted()).toEqual([0, 713, 713, 713]);
        const read = await sync().getSchema(name);
        expect(read).toEqual({ name, ...less });
        expect(await sync().listSchemas()).toContainEqual(read);
        expect(await codeOf(sync().removeSchema(name, { ifMatch: stored }))).toBe(713);
        await sync().removeSchema(name, { ifMatch: read });
        expect(await codeOf(sync().getSchema(name))).toBe(304);
        expect(await codeOf(sync().removeSchema(name, { ifMatch: read }))).toBe(304);
        expect(await codeOf(sync().putSchema(name, invoices, { ifMatch: read }))).toBe(713);
      });

      test.each<readonly [what: string, code: number, name: string, schema: object]>([
        ["an invalid name", 333, "1", invoices],
        ["a path as name", 304, "../users", invoices],
        ["a name that is a member of objects", 333, "__proto__", invoices],
        ["no class", 307, "a", { classes: [] }],
        ["an unknown class", 307, "a", { classes: [{ className: "Nothing" }] }],
        ["a class twice", 307, "a", { classes: [...invoices.classes, ...invoices.classes] }],
        ["an unknown field", 307, "a", { classes: [{ className: "Invoice", fields: ["Nothing"] }] }],
        ["a filter through a reference", 307, "a", { ...invoices, where: { "Customer.Name": "x" } }],
        ["an unknown direction", 307, "a", { ...invoices, direction: "up" }],
        ["an unknown policy", 307, "a", { ...invoices, conflicts: "me" }],
        ["an invalid macro", 307, "a", { ...invoices, conflicts: { macro: "../a" } }],
        ["a large page", 307, "a", { ...invoices, pageSize: 5_001 }],
        ["an unknown member", 307, "a", { ...invoices, other: 1 }],
      ])("%s is %d", async (_what, code, name, input) => {
        expect(await codeOf(sync().putSchema(name, input as typeof invoices))).toBe(code);
      });
    });

    describe("a schema that does not fit the classes", () => {
      const className = `Note${randomUUID().slice(0, 8)}`;
      const structure = `/v1/model/structure/${className}`;
      const names = { filtered: `f${randomUUID()}`, listed: `l${randomUUID()}`, whole: `w${randomUUID()}` };
      const sessions = {} as Record<"admin" | "reader", string>;
      const send = (as: keyof typeof sessions, method: "GET" | "PUT" | "DELETE", path: string, body?: object) =>
        call(server(), path, { method, sessionId: sessions[as], ...(body === undefined ? {} : { body }) });
      const definition = (...attributes: readonly string[]) => ({
        attributes: attributes.map((name) => ({ name, type: "string" })),
        rights: [{ group: "*", permissions: ["read"] }],
      });
      const listed = async (as: keyof typeof sessions) => {
        const { code, body } = await send(as, "GET", "/v1/sync");
        expect(code).toBe("0");
        type Listed = { readonly name: string; readonly broken?: string };
        return (body.data.schemas as readonly Listed[]).filter(({ name }) => Object.values(names).includes(name));
      };
      const examined = async () =>
        (await opened.admin.examination.run()).filter(({ check }) => check === "synchronization");

      beforeAll(async () => {
        for (const user of ["admin", "reader"] as const) sessions[user] = await logIn(server(), user);
        expect((await send("admin", "PUT", structure, definition("Title", "Kind"))).code).toBe("0");
        await sync().putSchema(names.filtered, { classes: [{ className }], where: { Kind: "a" } });
        await sync().putSchema(names.listed, { classes: [{ className, fields: ["Kind"] }] });
        await sync().putSchema(names.whole, { classes: [{ className }] });
      });
      afterAll(async () => {
        for (const name of Object.values(names))
          await sync().removeSchema(name, { ifMatch: await sync().getSchema(name) });
      });

      test("is made by a change of a class only by force, and concerns no other schema", async () => {
        expect((await examined()).map(({ level }) => level)).toEqual(["ok"]);
        const narrowed = definition("Title");
        expect(await send("admin", "PUT", structure, narrowed)).toMatchObject({ status: 400, code: "307" });
        expect((await listed("reader")).map(({ name }) => name)).toEqual(Object.values(names).toSorted());
        const forced = await send("admin", "PUT", `${structure}?force=true`, narrowed);
        const broken = [names.filtered, names.listed].toSorted();
        expect({ code: forced.code, broken: forced.body.data.brokenSchemas }).toEqual({ code: "0", broken });
        // A schema that is broken already refuses no other change.
        expect((await send("admin", "PUT", structure, definition("Title", "Other"))).body.data).not.toHaveProperty(
          "brokenSchemas",
        );

        expect((await listed("reader")).map(({ name }) => name)).toEqual([names.listed, names.whole]);
        const marked = (await listed("admin")).map(({ name, broken: reason }) => [name, reason]);
        expect(marked).toEqual([
          [names.filtered, expect.stringContaining("Kind")],
          [names.listed, undefined],
          [names.whole, undefined],
        ]);
        const reasons = new Map((await sync().listSchemas()).map(({ name, broken: reason }) => [name, reason]));
        expect(Object.values(names).map((name) => typeof reasons.get(name))).toEqual(["string", "string", "undefined"]);
        expect((await sync().getSchema(names.filtered)).broken).toContain("Kind");
        expect((await examined()).map(({ level, finding }) => [level, /schema (\S+) does/.exec(finding)?.[1]])).toEqual(
          broken.map((name) => ["error", name]),
        );
        expect((await send("admin", "DELETE", structure)).code).toBe("307");
        const removed = await send("admin", "DELETE", `${structure}?force=true`);
        expect(removed.body.data).toEqual({ brokenSchemas: [names.whole] });
      });

      test("whose record is damaged is 721 until it is replaced", async () => {
        const { records, settings } = repositoriesOf(server());
        const name = `d${randomUUID()}`;
        const damages = [
          {},
          "text",
          { ...invoices, name },
          { ...(await sync().putSchema(name, invoices)), classes: [1] },
        ];
        for (const value of damages) {
          await records.put(syncSchemaKind, name, value as never);
          await settings.raise();
          expect(await send("reader", "GET", "/v1/sync")).toMatchObject({ status: 500, code: "721" });
        }
        expect((await examined()).filter(({ finding }) => finding.includes(name))).toMatchObject([{ level: "error" }]);
        const ifMatch = await sync().putSchema(name, invoices);
        expect((await send("reader", "GET", "/v1/sync")).code).toBe("0");
        await sync().removeSchema(name, { ifMatch });
      });
    });

    describe("a missing object", () => {
      /** The checks that explain the absence. */
      const causes = async (uuid: string, syncVersion?: string, of = schema) =>
        (await sync().explainAbsence(of, { user: userId, uuid, syncVersion })).flatMap(({ check, level, finding }) =>
          level === "cause" ? [`${check}: ${finding}`] : [],
        );
      /** The version of a device that has everything. */
      const current = async () => {
        const session = await deviceSession();
        const pulled = await call(server(), `/v1/sync/${schema}`, {
          method: "POST",
          sessionId: session,
          body: { syncVersion: "0" },
        });
        expect(pulled.code).toBe("0");
        return pulled.body.data.syncVersion as string;
      };
      const deviceSession = async () => {
        const { account } = await repositoriesOf(server()).accounts.find({ id: userId }, []);
        const names = { user: account?.loginName ?? "", appNames: ["demo-app"], device: { deviceId: "tablet-7" } };
        const body = { ...names, pass: "the first password" };
        return (await call(server(), "/v1/login", { method: "POST", body })).body.data.sessionId as string;
      };

      test("that nothing hides is due to come, and then has come", async () => {
        const before = await current();
        const { uuid } = await create();
        expect(await causes(uuid, before)).toEqual([
          expect.stringContaining("order: The last change of the object is later"),
        ]);
        expect(await causes(uuid, "0")).toEqual([expect.stringContaining("version: The device has not synchronized")]);
        expect(await causes(uuid, await current())).toEqual([]);
        expect(await causes(uuid.toUpperCase(), await current())).toEqual([]);
        const unknown = (await sync().explainAbsence(schema, { user: userId, uuid })).filter(
          ({ level }) => level !== "ok",
        );
        expect(unknown).toEqual([expect.objectContaining({ check: "version", level: "unknown" })]);
      });

      test("that waits for an earlier transaction is due when that has ended", async () => {
        // On other engines, writers wait for one another.
        const postgres: PostgresFixture | null = demo.postgres();
        if (postgres === null) return;
        const { sql } = postgres;
        const before = await current();
        const { id } = await create();
        await sql.query("begin");
        await sql.query(`update sallyport_demo.objects set attributes = attributes where oid = $1`, [
          Number.parseInt(id, 36),
        ]);
        const { uuid } = await create("why-2");
        expect(await causes(uuid, before)).toEqual([
          "order: The last change of the object waits for a transaction that began before it and is still open.",
        ]);
        await sql.query("commit");
        expect(await causes(uuid, before)).toEqual([
          expect.stringContaining("order: The last change of the object is later"),
        ]);
      });

      test("is explained by filter, readers, class, deletion and UUID, without its content", async () => {
        const { adminId } = opened;
        const other = await create("secret-number");
        expect(await causes(other.uuid)).toEqual(["filter: The filter of the schema excludes the object."]);
        const hidden = await create("why-2", [adminId]);
        expect(await causes(hidden.uuid)).toEqual([expect.stringMatching(/^readers: /)]);
        const [user] = await repositoriesOf(server()).objects.get([userId], { classes: null, principals: null });
        expect(await causes(user?.uuid ?? "")).toEqual([
          expect.stringMatching(/^class: .*User/),
          expect.stringMatching(/^filter: /),
        ]);
        expect(await causes(randomUUID())).toEqual([expect.stringMatching(/^object: No object/)]);
        const gone = await create();
        await repositoriesOf(server()).deletion.delete([gone.id], {
          recycled: false,
          root: gone.id,
          deletedBy: adminId,
        });
        expect(await causes(gone.uuid)).toEqual([
          expect.stringMatching(/^object: .*deleted on \d{4}-.* by admin, permanently/),
        ]);
        expect(JSON.stringify(await sync().explainAbsence(schema, { user: userId, uuid: other.uuid }))).not.toContain(
          "secret-number",
        );
      });

      test("is explained by a deletion on a device", async () => {
        const { uuid } = await create();
        const sessionId = await deviceSession();
        const deleted = await call(server(), `/v1/sync/${schema}/${uuid}`, {
          method: "DELETE",
          sessionId,
          body: { syncVersion: "1" },
        });
        expect(deleted.code).toBe("0");
        const told = new RegExp(`by someone .*, through the schema ${schema} on the device tablet-7, permanently`);
        expect(await causes(uuid)).toEqual([expect.stringMatching(told)]);
      });

      test("is explained by the rights of the user", async () => {
        const { uuid } = await create();
        const before = await current();
        const rights = await opened.admin.classes.list();
        const { rights: usual = [] } = rights.items.find(({ name }) => name === "Invoice") ?? {};
        const without = await opened.admin.classes.setRights("Invoice", [], { ifMatch: rights });
        try {
          expect(await causes(uuid, before)).toEqual([
            expect.stringContaining("rights: The user has no right to read the class Invoice"),
            expect.stringMatching(/^version: .*groups or rights of the user/),
          ]);
        } finally {
          await opened.admin.classes.setRights("Invoice", usual, { ifMatch: await opened.admin.classes.list() });
        }
        expect(without.rights).toEqual([]);
      });

      test("is explained by the version of the device, with the part that moved", async () => {
        const { uuid } = await create();
        const version = await current();
        const moved = (digit: number) =>
          `${version.slice(0, digit)}${(Number(version[digit]) % 9) + 1}${version.slice(digit + 1)}`;
        for (const [input, told] of [
          ["abc", "not a version of this server"],
          ["12345", "not a version of this server"],
          [moved(0), "restored"],
          [moved(8), "the schema was changed"],
          [moved(16), "groups or rights"],
          [`${version.slice(0, 32)}9${version.slice(33)}`, "higher than the latest"],
        ] as const)
          expect([input, await causes(uuid, input)]).toEqual([input, [expect.stringContaining(told)]]);
        const query = (await sync().explainAbsence(schema, { user: userId, uuid, syncVersion: moved(24) })).find(
          ({ level }) => level === "unknown",
        );
        expect(query?.check).toBe("query");
      });

      test("is explained by the switch, a disabled user and an unknown schema", async () => {
        const { uuid } = await create();
        const off = await sync().setEnabled(false, { ifMatch: await sync().get() });
        const user = await opened.admin.users.change(
          userId,
          { enabled: false },
          { ifMatch: await opened.admin.users.get(userId) },
        );
        try {
          expect(await causes(uuid)).toEqual([
            expect.stringMatching(/^switch: /),
            expect.stringMatching(/^user: .*disabled/),
          ]);
        } finally {
          await sync().setEnabled(true, { ifMatch: off });
          await opened.admin.users.change(userId, { enabled: true }, { ifMatch: user });
        }
        for (const name of ["nothing", "__proto__", "1"])
          expect(await causes(uuid, undefined, name)).toEqual([expect.stringMatching(/^schema: .*no schema/)]);
        expect(await codeOf(sync().explainAbsence(schema, { user: "ZZZZZZ", uuid }))).toBe(304);
        for (const odd of ["x", "\0", "1 or 1=1"])
          expect(await codeOf(sync().explainAbsence(schema, { user: userId, uuid: odd }))).toBe(307);
      });

      test("is explained by a long absence", async () => {
        const { uuid } = await create();
        const version = await current();
        const gone = await create();
        const { deletion } = database().storage.repositories;
        await deletion.delete([gone.id], { recycled: false, root: gone.id });
        while ((await deletion.sweep(0, 1_000)) === 1_000);
        expect(await causes(uuid, version)).toEqual([expect.stringMatching(/^version: .*away longer/)]);
      });
    });
  },
  { environment: withoutLockout, count: 2 },
);
