import { definitionOf, type ObjectQuery, SallyportClient, versionOf } from "@sallyport/client";
import { storedKeyPair } from "@sallyport/test-kit/crypto/stored-key-pair";
import { testedModes } from "../modes.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { macroEnvironment } from "../macro-fixture.ts";

const credentialsOf = (user: string) => ({ user, password: user, appNames: ["demo-app"] });
const reader = credentialsOf("reader");
const keyPair = storedKeyPair();

/** The client against a server with the demo, in every mode and on every engine. */
onEngines(
  "client",
  (server) => {
    const clientOf = (alias = "") => new SallyportClient({ baseUrl: server().url, alias, appKey: "demo-app-key" });
    const sessions = () => repositoriesOf(server()).sessions;

    describe.each(testedModes)("in mode %s", (mode) => {
      let client: SallyportClient;
      let userId: string;
      const logIn = async (as: SallyportClient, user: string) =>
        as.logIn({
          ...credentialsOf(user),
          mode,
          ...(mode === "secure" || mode === "encrypted" ? { keyPair: await keyPair } : {}),
        });
      const loggedIn = async (user: string): Promise<SallyportClient> => {
        const other = clientOf();
        await logIn(other, user);
        return other;
      };
      beforeEach(async () => {
        client = clientOf();
        const result = await logIn(client, "reader");
        const user = expect.objectContaining({ "~ClassName": "User", Name: "reader" });
        expect(result).toEqual({ mode, databaseName: "demo", user });
        userId = result.user["~ObjectID"];
      });

      test("reads single objects and lists", async () => {
        const ids = new Set<string>();
        for await (const customer of client.objects("Customer", { perPage: 70, serialization: { type: "oid" } }))
          ids.add(customer["~ObjectID"]);
        expect(ids.size).toBe(await client.countObjects("Customer"));
        const page = await client.listObjects("Customer", { perPage: 1, serialization: { depth: 0 } });
        const [first] = page["~Elements"];
        await expect(client.getObject(first?.["~ObjectID"] ?? "")).resolves.toMatchObject({ "~ClassName": "Customer" });
      });

      test("executes macros", async () => {
        await expect(client.execute("Echo")).resolves.toEqual({});
        for (const input of [{ a: [1, null, "ü"] }, [], "text", 0, null])
          await expect(client.execute("Echo", input)).resolves.toEqual(input);
        await expect(client.execute("Checked", true)).resolves.toBeDefined();
        await expect(client.execute("Checked", true, { skipChecker: true })).rejects.toMatchObject({ code: 402 });
        await expect(client.execute("a/../Echo")).rejects.toMatchObject({ code: 304 });
        await expect(client.execute("Nothing")).rejects.toMatchObject({ code: 710 });
        await expect(client.multi([{ method: "POST", path: "/v1/execute/Echo", data: [1] }])).resolves.toEqual([
          { ok: true, httpStatus: 200, data: [1], message: "ok" },
        ]);
      });

      test("sends many requests in one, each by itself or in a transaction", async () => {
        const writer = await loggedIn("demo");
        const City = `Many ${mode} ${crypto.randomUUID()}`;
        const add = (Name: unknown) => ({ method: "POST", path: "/v1/object/Customer", data: { Name, City } }) as const;
        const count = {
          path: "/v1/objects/Customer",
          query: { query: { where: { City } }, serialization: { type: "oid" } },
        };
        const results = await writer.multi<{ "~Count": number }>([add("Ada"), add(5), count]);
        expect(results).toMatchObject([
          { ok: true, data: { Name: "Ada" } },
          { ok: false, httpStatus: 400, code: 307 },
          { ok: true, data: { "~Count": 1 } },
        ]);
        await expect(writer.multi([add("Bob"), add(5)], { atomic: true })).rejects.toMatchObject({ code: 307 });
        await expect(writer.multi([add("Carl"), count], { atomic: true })).resolves.toMatchObject([
          { ok: true },
          { data: { "~Count": 2 } },
        ]);
        await writer.logOut();
      });

      test("reads matching objects in order, over consecutive pages", async () => {
        const query: ObjectQuery = {
          where: { City: { $in: ["Graz", "Zürich"] }, $or: [{ Active: true }, { CreditLimit: { $gt: 0 } }] },
          sort: ["-Name"],
        };
        const pages = [];
        for await (const page of client.pages<{ Name: string; City: string }>("Customer", { perPage: 3, query }))
          pages.push(page);
        const read = pages.flatMap((page) => page["~Elements"]);
        expect(pages.slice(0, -1).map((page) => page["~Elements"].length)).toEqual(
          Array<number>(pages.length - 1).fill(3),
        );
        expect(pages.length).toBeGreaterThan(1);
        expect(new Set(read.map((each) => each["~ObjectID"])).size).toBe(read.length);
        expect(new Set(read.map(({ City }) => City))).toEqual(new Set(["Graz", "Zürich"]));
        expect(read.map(({ Name }) => Name)).toEqual(
          read
            .map(({ Name }) => Name)
            .toSorted()
            .toReversed(),
        );
        await expect(client.countObjects("Customer", { query: { where: query.where } })).resolves.toBe(read.length);
        await expect(client.countObjects("Invoice", { count: "capped" })).resolves.toBeGreaterThanOrEqual(1_000);
        const some = read.slice(0, 2).map((each) => each["~ObjectID"]);
        await expect(client.countObjects("Customer", { query: { oids: some } })).resolves.toBe(2);
        const many = [...some, ...Array.from({ length: 998 }, () => crypto.randomUUID())];
        await expect(client.countObjects("Customer", { query: { oids: many } })).resolves.toBe(2);
      });

      test("reads objects with a serialization", async () => {
        const serialization = { type: "custom", fields: ["Number", "Customer.Name"] } as const;
        const page = await client.listObjects<{ Number: string; Customer: { Name: string } }>("Invoice", {
          perPage: 1,
          serialization,
        });
        const [invoice] = page["~Elements"];
        expect(Object.keys(invoice ?? {})).toEqual([
          "~ClassName",
          "~ObjectID",
          "~UUID",
          "~StoreTime",
          "Number",
          "Customer",
        ]);
        const uuid = invoice?.["~UUID"] ?? "";
        await expect(client.getObject(uuid)).resolves.toMatchObject({
          "~ObjectID": invoice?.["~ObjectID"],
          "~UUID": uuid,
        });
        expect(invoice?.Customer.Name).toEqual(expect.any(String));
        await expect(
          client.getObject(invoice?.["~ObjectID"] ?? "", { serialization: { type: "oid" } }),
        ).resolves.toEqual({ "~ObjectID": invoice?.["~ObjectID"] });
      });

      test("describes the API with the classes that the user may read, or with none without a log-in", async () => {
        const classesIn = (description: object) => JSON.stringify(description).match(/"class\.\w+":/g);
        const classes = classesIn(await client.describeApi());
        expect(classes).toEqual(expect.arrayContaining(['"class.Customer":', '"class.Invoice":']));
        expect(classes).not.toContain('"class.User":');
        expect(classesIn(await clientOf().describeApi())).toBeNull();
      });

      test("repeats calls with a key without another effect", async () => {
        const writer = await loggedIn("demo");
        const once = { idempotencyKey: crypto.randomUUID() };
        const create = (Name: string) => writer.createObject("Customer", { Name }, once);
        const { "~ObjectID": id } = await create("Once");
        expect((await create("Once"))["~ObjectID"]).toBe(id);
        await expect(create("Twice")).rejects.toMatchObject({ code: 307 });
        const items = [{ method: "POST", path: "/v1/object/Customer", data: { Name: "Once" } }] as const;
        const many = { idempotencyKey: crypto.randomUUID() };
        const [first, again] = [await writer.multi(items, many), await writer.multi(items, many)];
        expect(again).toEqual(first);
      });

      test("creates and changes objects, and reports a concurrent change", async () => {
        const writer = await loggedIn("demo");
        const created = await writer.createObject<{ Name: string; City: string | null }>("Customer", {
          Name: "Zoë",
          Since: new Date(0),
        });
        const id = created["~ObjectID"];
        expect(created).toMatchObject({ "~ClassName": "Customer", Name: "Zoë", Since: "1970-01-01T00:00:00.000Z" });
        const serialization = { type: "custom", fields: ["City"] } as const;
        const changed = await writer.updateObject<{ City: string }>(
          id,
          { City: "Graz" },
          { ifMatch: created, serialization },
        );
        expect(Object.keys(changed)).toEqual(["~ClassName", "~ObjectID", "~UUID", "~StoreTime", "City"]);
        await expect(writer.updateObject(id, { City: "Linz" }, { ifMatch: created })).rejects.toMatchObject({
          code: 713,
        });
        await writer.updateObject(id, { City: "Linz" }, { ifMatch: changed });
        const read = await client.getObject<{ City: string }>(id);
        expect([read.City, versionOf(read)]).toEqual(["Linz", '"3"']);
        const invoice = await writer.createObject<{ Customer: { Name: string } }>("Invoice", {
          Number: "1",
          Customer: { "~ObjectID": id },
        });
        expect(invoice.Customer.Name).toBe("Zoë");
        await expect(client.updateObject(id, { City: "Wien" })).rejects.toMatchObject({ code: 404, httpStatus: 403 });
        await expect(writer.createObject("Customer", { Name: 5 })).rejects.toMatchObject({ code: 307 });
      });

      test("changes all matching objects or none", async () => {
        const writer = await loggedIn("demo");
        const City = `Town of ${mode}`;
        for (const Name of ["Ann", "Bea", "Cid"]) await writer.createObject("Customer", { Name, City });
        await expect(
          writer.updateObjects("Customer", { where: { City, Name: { $ne: "Cid" } } }, { CreditLimit: 7 }),
        ).resolves.toBe(2);
        await expect(client.countObjects("Customer", { query: { where: { City, CreditLimit: 7 } } })).resolves.toBe(2);
        await expect(
          writer.updateObjects("Customer", { where: { City: "nowhere" } }, { CreditLimit: 8 }),
        ).resolves.toBe(0);
        await expect(client.updateObjects("Customer", { where: { City } }, { CreditLimit: 8 })).rejects.toMatchObject({
          code: 404,
        });
      });

      test("reads and changes the readers of an object", async () => {
        const writer = await loggedIn("demo");
        const created = await writer.createObject("Customer", { Name: "Zoë" });
        const { "~ObjectID": id, "~UUID": uuid } = created;
        const { user } = await clientOf().logIn({
          mode: "session",
          user: "demo",
          password: "demo",
          appNames: ["demo-app"],
        });
        const readers = await writer.setReaders(id, [user["~ObjectID"]], { ifMatch: created });
        expect([readers, versionOf(readers)]).toEqual([{ readers: [user["~ObjectID"]] }, '"2"']);
        await expect(writer.getReaders(uuid)).resolves.toEqual(readers);
        await expect(client.getReaders(id)).rejects.toMatchObject({ code: 304 });
        await expect(writer.setReaders(id, null, { ifMatch: created })).rejects.toMatchObject({ code: 713 });
        await expect(writer.setReaders(id, null, { ifMatch: readers })).resolves.toEqual({ readers: null });
      });

      test("deletes objects and restores them", async () => {
        const writer = await loggedIn("demo");
        const created = await writer.createObject<{ Name: string }>("Customer", { Name: "Zoë" });
        const { "~ObjectID": id } = created;
        await expect(client.deleteObject(id)).rejects.toMatchObject({ code: 404, httpStatus: 403 });
        await expect(writer.deleteObject(id, { ifMatch: '"7"' })).rejects.toMatchObject({ code: 713 });
        await expect(writer.deleteObject(id, { ifMatch: created, recycle: true })).resolves.toBeUndefined();
        await expect(client.getObject(id)).rejects.toMatchObject({ code: 609, httpStatus: 410 });
        await expect(writer.updateObject(id, { Name: "Ann" })).rejects.toMatchObject({ code: 610, httpStatus: 400 });
        const restored = await writer.restoreObject<{ Name: string }>(id);
        expect([restored.Name, versionOf(restored)]).toEqual(["Zoë", '"3"']);
        await writer.deleteObject(id, { ifMatch: restored });
        await expect(writer.restoreObject(id)).rejects.toMatchObject({ code: 609 });
      });

      test("locks objects for its session", async () => {
        const [writer, other] = [await loggedIn("demo"), await loggedIn("demo")];
        const { "~ObjectID": id } = await writer.createObject("Customer", { Name: "Zoë" });
        await expect(writer.lockObject(id)).resolves.toMatchObject({ isLocked: true });
        await expect(client.getLock(id)).resolves.toEqual({
          isLocked: true,
          isOwn: false,
          since: expect.any(String),
          messages: [expect.any(String)],
        });
        for (const refused of [other.updateObject(id, { Name: "Ann" }), other.lockObject(id), other.unlockObject(id)]) {
          await expect(refused).rejects.toMatchObject({ code: 713 });
        }
        await writer.updateObject(id, { Name: "Ann" }, { renew: false });
        await expect(writer.unlockObject(id)).resolves.toEqual({ isLocked: false, messages: [] });
        await expect(other.updateObject(id, { Name: "Bea" })).resolves.toMatchObject({ Name: "Bea" });
        await other.lockObject(id);
        await other.logOut();
        await expect(writer.updateObject(id, { Name: "Cid" })).resolves.toMatchObject({ Name: "Cid" });
      });

      test("reads, defines and removes classes", async () => {
        const admin = await loggedIn("admin");
        const name = `Note_${mode}`;
        const put = await admin.putClass(name, {
          attributes: [{ name: "Text", type: "string", indexed: true }],
          rights: [{ group: "*", permissions: ["read", "create"] }],
        });
        const structure = await client.getStructure();
        const note = structure.classes.find((each) => each.name === name);
        expect(note).toMatchObject({
          base: null,
          builtIn: false,
          permissions: ["read", "create"],
          attributes: [{ name: "Text", type: "string", inherited: false }],
        });
        const created = await client.createObject<{ Text: string }>(
          name,
          { Text: "new" },
          { serialization: { depth: 0 } },
        );
        expect(created.Text).toBe("new");

        const { attributes = [], ...definition } = definitionOf(put);
        const wider = {
          ...definition,
          attributes: [...attributes, { name: "About", type: "reference", target: "Customer" } as const],
        };
        await admin.putClass(name, wider, { ifMatch: put });
        await expect(admin.putClass(name, definition, { ifMatch: structure })).rejects.toMatchObject({ code: 713 });
        await expect(admin.putClass(name, definition)).rejects.toMatchObject({ code: 307 });
        await expect(admin.removeClass(name)).rejects.toMatchObject({ code: 307 });
        await expect(client.putClass(name, wider)).rejects.toMatchObject({ code: 404 });
        await admin.deleteObject(created["~ObjectID"]);
        await admin.removeClass(name, { ifMatch: await admin.getStructure() });
        expect((await admin.getStructure()).classes.map((each) => each.name)).not.toContain(name);
      });

      test("reports refusals of the server", async () => {
        await expect(client.getObject("ZZZZZZ")).rejects.toMatchObject({
          code: 304,
          httpStatus: 404,
          requestId: expect.any(String),
        });
        await expect(client.listObjects("Customer", { query: { where: { Unknown: 1 } } })).rejects.toMatchObject({
          code: 307,
          httpStatus: 400,
        });
        await expect(client.listObjects("Customer", { cursor: "none" })).rejects.toMatchObject({ code: 307 });
      });

      test("makes many calls at once", async () => {
        const pages = await Promise.all(
          Array.from({ length: 60 }, (_, page) => client.listObjects("Customer", { page: page % 20, perPage: 10 })),
        );
        expect(pages.map((page) => page["~Elements"].length)).toEqual(Array<number>(60).fill(10));
      });

      test("renews an ended session once", async () => {
        await sessions().end({ userId });
        await expect(client.checkSession()).resolves.toBe(false);
        const before = await sessions().count();
        const pages = await Promise.all(
          Array.from({ length: 10 }, () => client.listObjects("Customer", { perPage: 1 })),
        );
        expect(pages.map((page) => page["~Elements"].length)).toEqual(Array<number>(10).fill(1));
        expect(await sessions().count()).toBe(before + 1);
        await expect(client.checkSession()).resolves.toBe(true);
      });

      test("logs out", async () => {
        const { session } = client;
        const before = await sessions().count();
        await client.logOut();
        expect(await sessions().count()).toBe(before - 1);
        const { headers } = (await session?.seal({ headers: { appkey: "demo-app-key" } })) ?? { headers: {} };
        expect((await fetch(`${server().url}/_CheckSession`, { headers })).status).toBe(401);
      });

      test("is valid for its own database only", async () => {
        const { headers } = (await client.session?.seal({ headers: { appkey: "demo-app-key" } })) ?? { headers: {} };
        expect((await fetch(`${server().url}/second/_CheckSession`, { headers })).status).toBe(401);
        await expect(clientOf("second").checkService()).resolves.toMatchObject({ applicationName: expect.any(String) });
      });
    });

    test("in secure mode sends contents that the server can read", async () => {
      const client = clientOf();
      await client.logIn({ ...reader, mode: "secure", keyPair: await keyPair });
      await expect(
        client.request({ method: "POST", path: "/v1/logout", body: {}, renew: false }),
      ).resolves.toMatchObject({ data: {} });
      await expect(client.checkSession()).resolves.toBe(false);
    });

    test("in secure mode logs in with SHA-1 padding, too", async () => {
      const client = clientOf();
      await client.logIn({ ...reader, mode: "secure", padding: "OAEP-SHA-1", keyPair: await storedKeyPair("SHA-1") });
      await expect(client.checkSession()).resolves.toBe(true);
    });
  },
  { environment: macroEnvironment },
);
