import { type ClassDefinition, seesAll } from "@sallyport/storage";
import { logOutIn } from "../client.ts";
import { testedModes } from "../modes.ts";
import { writeFixture } from "./write-fixture.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

/** How objects are created, changed and locked, in every mode and on every engine. */
onEngines(
  "objects that are created and changed",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const fixture = writeFixture(server, mode);
      const { sessions, repositories, send, seen, logIn, create, patch, lock, found } = fixture;

      test("creates an object with values of every type, and reads it back", async () => {
        const input = {
          Name: 'Ada \u{1f469} "Lovelace"\n',
          City: "",
          Country: null,
          Since: "2025-06-01T10:00:00+02:00",
          CreditLimit: -0.5,
          Active: false,
          "~StoreTime": "any time",
        };
        const created = await send(sessions.demo, "/v1/object/Customer", "POST", input);
        const stored = {
          ...input,
          "~StoreTime": expect.stringMatching(/^\d{8}T\d{6}[+-]\d\d:\d\d$/),
          Since: "2025-06-01T08:00:00.000Z",
          "~ClassName": "Customer",
          "~ObjectID": expect.stringMatching(/^[0-9A-Z]+$/),
          "~UUID": expect.stringMatching(/^[0-9a-f-]{36}$/),
        };
        expect(seen(created)).toEqual({ status: 200, code: "0", etag: '"1"', data: stored });
        const read = await send(sessions.demo, `/v1/object/${created.body.data["~ObjectID"]}`, "GET");
        expect(seen(read)).toEqual(seen(created));
      });

      test("changes the sent attributes and keeps the rest, one version after the other", async () => {
        const id = await create("Customer", { Name: "Ada", City: "London", CreditLimit: 5 });
        const changed = await patch(id, { City: null, Active: true });
        expect(seen(changed)).toMatchObject({ status: 200, code: "0", etag: '"2"' });
        const { "~StoreTime": _time, ...data } = changed.body.data;
        expect(data).toEqual({
          "~ClassName": "Customer",
          "~ObjectID": id,
          "~UUID": (await found(id))?.uuid,
          Name: "Ada",
          City: null,
          CreditLimit: 5,
          Active: true,
        });
        expect(seen(await patch(id, {}))).toMatchObject({ code: "0", etag: '"3"' });
        expect(seen(await send(sessions.demo, `/v1/object/${id}`, "GET"))).toMatchObject({ etag: '"3"', data });
        const { uuid } = (await found(id)) as { uuid: string };
        expect(
          seen(
            await send(sessions.demo, `/v1/object/${uuid.toUpperCase()}?serialization={"type":"oid"}`, "PATCH", {
              City: "Paris",
            }),
          ),
        ).toEqual({ status: 200, code: "0", etag: '"4"', data: { "~ObjectID": id } });
      });

      test("changes an object at an expected version only", async () => {
        const id = await create("Customer", { Name: "Ada" });
        expect(seen(await patch(id, { City: "a" }, { "if-match": '"1"' }))).toMatchObject({ code: "0", etag: '"2"' });
        for (const stale of ['"1"', 'W/"2"', "2", '"1", "3"']) {
          const answer = await patch(id, { City: "b" }, { "if-match": stale });
          expect(answer).toMatchObject({ status: 500, code: "713" });
        }
        expect(await found(id)).toMatchObject({ version: 2, attributes: { City: "a" } });
        expect(seen(await patch(id, { City: "c" }, { "if-match": '"7", "2"' }))).toMatchObject({
          code: "0",
          etag: '"3"',
        });
        expect(seen(await patch(id, { City: "d" }, { "if-match": "*" }))).toMatchObject({ code: "0", etag: '"4"' });
        const codes = await Promise.all(
          Array.from({ length: 6 }, () => patch(id, { City: "e" }, { "if-match": '"4"' }).then(({ code }) => code)),
        );
        expect(codes.toSorted()).toEqual(["0", "713", "713", "713", "713", "713"]);
      });

      test("accepts references as ids, UUIDs and objects of meta-fields, and writes their targets", async () => {
        const [ada, bob] = [await create("Customer", { Name: "Ada" }), await create("Customer", { Name: "Bob" })];
        const { uuid } = (await found(bob)) as { uuid: string };
        const id = await create("Invoice", { Number: "1", Customer: ada });
        const forms = [
          bob,
          uuid,
          uuid.toUpperCase(),
          { "~ObjectID": bob },
          { "~UUID": uuid },
          { "~ClassName": "Customer", "~ObjectID": bob, "~StoreTime": "20250101T000000+00:00" },
        ];
        for (const Customer of forms) {
          await patch(id, { Customer: ada });
          const answer = await patch(id, { Customer });
          expect(seen(answer)).toMatchObject({
            code: "0",
            data: { Number: "1", Customer: { "~ObjectID": bob, Name: "Bob" } },
          });
        }
        expect((await found(id))?.attributes).toEqual({ Number: "1", Customer: bob });
        expect(seen(await patch(id, { Customer: null }))).toMatchObject({ code: "0", data: { Customer: null } });
        const { "~Elements": users } = (await send(sessions.admin, "/v1/objects/User", "GET")).body.data;
        for (const Customer of [id, users[0]["~ObjectID"], "ZZZZZZZ", { "~ObjectID": ada, "~UUID": uuid }])
          expect((await patch(id, { Customer })).code).toBe("307");
      });

      test("keeps collections in their order, each member once", async () => {
        const [one, two] = [
          await create("UserGroup", { Name: "One" }, sessions.admin),
          await create("UserGroup", { Name: "Two" }, sessions.admin),
        ];
        const id = await create(
          "User",
          { Name: `member-${mode}`, Groups: [two, { "~ObjectID": one }] },
          sessions.admin,
        );
        const groups = async () =>
          (await send(sessions.admin, `/v1/object/${id}`, "GET")).body.data["Groups"]["~Elements"].map(
            (group: { Name: string }) => group.Name,
          );
        expect(await groups()).toEqual(["Two", "One"]);
        for (const Groups of [
          [one, one],
          [one, { "~ObjectID": one }],
          [one, "ZZZZZZZ"],
          [id],
          { "~Elements": [one] },
          one,
        ]) {
          expect((await patch(id, { Groups }, {}, sessions.admin)).code).toBe("307");
        }
        expect(await groups()).toEqual(["Two", "One"]);
        expect((await patch(id, { Groups: [one] }, {}, sessions.admin)).code).toBe("0");
        expect(await groups()).toEqual(["One"]);
      });

      test("keeps collection members that the writer cannot see, and reveals none of them", async () => {
        const name = `Club_${mode}`;
        const rights = [{ group: "*", permissions: ["read", "create", "write"] }] as const;
        const club: ClassDefinition = {
          name,
          base: null,
          attributes: [
            { name: "Members", type: "collection", target: "Customer" },
            { name: "Chair", type: "reference", target: "Customer" },
          ],
          rights,
        };
        const { model, objects } = repositories();
        while ((await model.change({ put: [club] }, (await model.load()).generation)) === "stale");
        const [ada, bob] = [await create("Customer", { Name: "Ada" }), await create("Customer", { Name: "Bob" })];
        const [hidden, recycled] = [
          (await objects.insert([{ className: "Customer", attributes: { Name: "Hidden" }, readers: [] }]))[0]
            ?.id as string,
          await create("Customer", { Name: "Carl" }),
        ];
        const id = await create(name, { Members: [hidden, ada, recycled], Chair: hidden }, sessions.admin);
        await send(sessions.admin, `/v1/object/${recycled}?moveToRecycler=true`, "DELETE");
        const stored = async () => (await found(id))?.attributes["Members"];
        const shown = (count: number) => ({ "~Count": count, "~UnfilteredCount": count });

        expect((await send(sessions.demo, `/v1/object/${id}`, "GET")).body.data).toMatchObject({
          Members: shown(1),
          Chair: null,
        });
        for (const Members of [[bob], [], [bob, ada]]) {
          const answer = await patch(id, { Members });
          expect(answer).toMatchObject({ code: "0", body: { data: { Members: shown(Members.length) } } });
          expect(await stored()).toEqual([...Members, hidden, recycled]);
        }
        expect(await patch(id, { Members: [hidden] })).toMatchObject({ status: 400, code: "307" });
        expect((await patch(id, { Members: null })).body.data.Members).toMatchObject(shown(0));
        expect(await stored()).toEqual([hidden, recycled]);

        const all = (attributes: object) =>
          send(sessions.demo, `/v1/objects/${name}?query={"where":{"Members":{"$exists":true}}}`, "PATCH", attributes);
        expect(await all({ Members: [ada] })).toMatchObject({ code: "0", body: { data: { "~Count": 1 } } });
        expect(await stored()).toEqual([ada, hidden, recycled]);
        expect(await patch(id, { Chair: bob })).toMatchObject({
          code: "0",
          body: { data: { Chair: { "~ObjectID": bob } } },
        });

        expect(await patch(id, { Members: [bob] }, {}, sessions.admin)).toMatchObject({ code: "0" });
        expect(await stored()).toEqual([bob, recycled]);
        await send(sessions.admin, `/v1/object/${recycled}/restore`, "POST");
        expect((await send(sessions.demo, `/v1/object/${id}`, "GET")).body.data.Members).toMatchObject(shown(2));
        expect((await patch(id, { Members: null }, {}, sessions.admin)).body.data.Members).toMatchObject(shown(0));
        expect(await stored()).toBeNull();
      });

      test("changes all matching objects, or none", async () => {
        const City = `Bulk ${mode} ${crypto.randomUUID()}`;
        const ids = await Promise.all(
          Array.from({ length: 12 }, (_, index) => create("Customer", { Name: `${index}`, City, CreditLimit: index })),
        );
        const all = (query: object, attributes: object, as = sessions.demo) =>
          send(as, `/v1/objects/Customer?query=${encodeURIComponent(JSON.stringify(query))}`, "PATCH", attributes);
        const where = { City, CreditLimit: { $gte: 4 } };
        expect(seen(await all({ where, sort: ["-Name"] }, { Active: true }))).toEqual({
          status: 200,
          code: "0",
          etag: undefined,
          data: { "~Count": 8 },
        });
        const versions = async () => Promise.all(ids.map(async (id) => (await found(id))?.version));
        expect(await versions()).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]);

        const other = await logIn("demo");
        await lock(ids[7] as string, "POST", other);
        expect(await all({ where }, { Active: false })).toMatchObject({ status: 500, code: "713" });
        expect(seen(await all({ where: { City } }, { Active: false }, other))).toMatchObject({
          code: "0",
          data: { "~Count": 12 },
        });
        expect(await versions()).toEqual([2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3]);
        await logOutIn(server(), other);
      });

      test("changes a consistent set of matching objects during concurrent changes", async () => {
        const City = `Moving ${mode} ${crypto.randomUUID()}`;
        const ids = await Promise.all(
          Array.from({ length: 8 }, () => create("Customer", { Name: "Ada", City, CreditLimit: 0 })),
        );
        const query = encodeURIComponent(JSON.stringify({ where: { City, CreditLimit: 0 } }));
        const bulk = Array.from({ length: 4 }, () =>
          send(sessions.demo, `/v1/objects/Customer?query=${query}`, "PATCH", { CreditLimit: 1 }),
        );
        const single = ids.map((id) => patch(id, { CreditLimit: 2 }));
        const counts = (await Promise.all(bulk)).map(({ body }) => body.data["~Count"] as number);
        await Promise.all(single);
        // In any order, no request set 1 over 2, and at most one bulk change affected each object.
        const objects = await repositories().objects.get(ids, seesAll);
        expect(objects.map(({ attributes }) => attributes["CreditLimit"])).toEqual(ids.map(() => 2));
        const changedByMany = objects.filter(({ version }) => version === 3).length;
        expect([objects.every(({ version }) => version <= 3), counts.reduce((sum, count) => sum + count, 0)]).toEqual([
          true,
          changedByMany,
        ]);
      });

      test("keeps a value of almost a mebibyte", async () => {
        const Name = "\u{1f469}x".repeat(190_000);
        const id = await create("Customer", { Name });
        expect((await send(sessions.demo, `/v1/object/${id}`, "GET")).body.data.Name).toBe(Name);
      });

      test("limits an object to a mebibyte, for every kind of write", async () => {
        const part = "x".repeat(600_000);
        const id = await create("Customer", { Name: part });
        const stored = await found(id);
        expect(await patch(id, { City: part })).toMatchObject({ status: 413, code: "801" });
        const query = encodeURIComponent(JSON.stringify({ oids: [id] }));
        expect(await send(sessions.demo, `/v1/objects/Customer?query=${query}`, "PATCH", { City: part })).toMatchObject(
          {
            status: 413,
            code: "801",
          },
        );
        expect(await found(id)).toEqual(stored);
        expect(seen(await patch(id, { Name: "Ada", City: part }))).toMatchObject({ code: "0", etag: '"2"' });
      });

      test("refuses writes to invisible objects", async () => {
        const [hidden] = await repositories().objects.insert([
          { className: "Customer", attributes: { Name: "Hidden" }, readers: [] },
        ]);
        const id = hidden?.id as string;
        expect(await patch(id, { Name: "Found" })).toMatchObject({ status: 404, code: "304" });
        for (const method of ["GET", "POST", "DELETE"] as const)
          expect(await lock(id, method, sessions.demo)).toMatchObject({ status: 404, code: "304" });
        const invoice = await create("Invoice", { Number: "1" });
        expect(await patch(invoice, { Customer: id })).toMatchObject({ status: 400, code: "307" });
        expect(await found(id)).toEqual(hidden);
        expect(await patch(id, { Name: "Found" }, {}, sessions.admin)).toMatchObject({ code: "0" });
      });

      test("writes under the current model", async () => {
        const { model } = repositories();
        const name = `Thing_${mode}`;
        const put = async (mandatory: boolean) => {
          const attributes = [
            { name: "Text", type: "string", mandatory },
            { name: "Any", type: "json" },
          ] as const;
          await model.change(
            {
              put: [
                { name, base: null, attributes, rights: [{ group: "*", permissions: ["read", "create", "write"] }] },
              ],
            },
            (await model.load()).generation,
          );
        };
        await put(false);
        const id = await create(name, { Any: { deep: [1, { "~Odd": null }], list: [] } });
        await put(true);
        expect(await send(sessions.demo, `/v1/object/${name}`, "POST", {})).toMatchObject({ status: 400, code: "307" });
        expect(await patch(id, { Text: null })).toMatchObject({ code: "307" });
        expect(seen(await patch(id, { Text: "now" }))).toMatchObject({
          code: "0",
          data: { Text: "now", Any: { deep: [1, { "~Odd": null }], list: [] } },
        });
      });
    });
  },
  { environment: objectEnvironment },
);
