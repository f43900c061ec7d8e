import type { ClassDefinition, Repositories } from "@sallyport/core";
import { seesAll } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { type Answer, callIn, logOutIn, type Sent, tryLogIn } from "./client.ts";
import { modes } from "./modes.ts";
import { openSession, type OpeningOptions } from "./open-session.ts";
import { locksPerSession } from "./test-environment.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

/** How objects are created, changed and locked, in every mode and on every engine. */
export function writeSuite(server: () => RunningServer): void {
  const repositories = (): Repositories => {
    const found = server().databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found.storage.repositories;
  };
  const send = (
    session: Session,
    path: string,
    method: Sent["method"],
    body?: object,
    headers: Sent["headers"] = {},
  ): Promise<Answer> =>
    callIn(server(), session, path, { method, headers, ...(body === undefined ? {} : { body }) } as Sent);
  const seen = ({ status, code, body, headers }: Answer) => ({ status, code, etag: headers["etag"], data: body.data });

  describe.each(modes)("in mode %s", (mode) => {
    const logIn = (user: string, more?: OpeningOptions) => openSession(server(), mode, user, more);
    let demo: Session;
    let admin: Session;
    beforeAll(async () => {
      demo = await logIn("demo");
      admin = await logIn("admin");
    });

    const create = async (className: string, attributes: object, as = demo): Promise<string> => {
      const answer = await send(as, `/v1/object/${className}`, "POST", attributes);
      if (answer.code !== "0") throw new Error(`Creating a ${className} answers ${answer.code}.`);
      return answer.body.data["~ObjectID"];
    };
    const patch = (id: string, attributes: object, headers?: Sent["headers"], as = demo) =>
      send(as, `/v1/object/${id}`, "PATCH", attributes, headers);
    const lock = (id: string, method: Sent["method"], as: Session) => send(as, `/v1/lock/object/${id}`, method);
    const found = async (id: string) => (await repositories().objects.get([id], seesAll))[0];

    test("creates an object with values of every kind, and reads it back", async () => {
      const given = {
        Name: 'Ada \u{1f469} "Lovelace"\n',
        City: "",
        Country: null,
        Since: "2025-06-01T10:00:00+02:00",
        CreditLimit: -0.5,
        Active: false,
        "~StoreTime": "whatever",
      };
      const created = await send(demo, "/v1/object/Customer", "POST", given);
      const stored = {
        ...given,
        "~StoreTime": expect.stringMatching(/^\d{8}T\d{6}[+-]\d\d:\d\d$/),
        Since: "2025-06-01T08:00:00.000Z",
        "~ClassName": "Customer",
        "~ObjectID": expect.stringMatching(/^[0-9A-Z]+$/),
        "~UUID": expect.stringMatching(/^[0-9a-f-]{36}$/),
      };
      expect(seen(created)).toEqual({ status: 200, code: "0", etag: '"1"', data: stored });
      const read = await send(demo, `/v1/object/${created.body.data["~ObjectID"]}`, "GET");
      expect(seen(read)).toEqual(seen(created));
    });

    test("changes what is sent and leaves the rest, one version after the other", async () => {
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
      expect(seen(await send(demo, `/v1/object/${id}`, "GET"))).toMatchObject({ etag: '"3"', data });
      const { uuid } = (await found(id)) as { uuid: string };
      expect(
        seen(
          await send(demo, `/v1/object/${uuid.toUpperCase()}?serialization={"type":"oid"}`, "PATCH", { City: "Paris" }),
        ),
      ).toEqual({ status: 200, code: "0", etag: '"4"', data: { "~ObjectID": id } });
    });

    test("changes an object only in a version that is expected", async () => {
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

    test("takes references as ids, UUIDs and objects of meta-fields, and writes where they lead", async () => {
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
      const { "~Elements": users } = (await send(admin, "/v1/objects/User", "GET")).body.data;
      for (const Customer of [id, users[0]["~ObjectID"], "ZZZZZZZ", { "~ObjectID": ada, "~UUID": uuid }])
        expect((await patch(id, { Customer })).code).toBe("307");
    });

    test("keeps collections in their order, each member once", async () => {
      const [one, two] = [
        await create("UserGroup", { Name: "One" }, admin),
        await create("UserGroup", { Name: "Two" }, admin),
      ];
      const id = await create("User", { Name: `member-${mode}`, Groups: [two, { "~ObjectID": one }] }, admin);
      const groups = async () =>
        (await send(admin, `/v1/object/${id}`, "GET")).body.data["Groups"]["~Elements"].map(
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
        expect((await patch(id, { Groups }, {}, admin)).code).toBe("307");
      }
      expect(await groups()).toEqual(["Two", "One"]);
      expect((await patch(id, { Groups: [one] }, {}, admin)).code).toBe("0");
      expect(await groups()).toEqual(["One"]);
    });

    test("keeps the members of a collection that the writer does not see, and tells nobody of them", async () => {
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
      const id = await create(name, { Members: [hidden, ada, recycled], Chair: hidden }, admin);
      await send(admin, `/v1/object/${recycled}?moveToRecycler=true`, "DELETE");
      const stored = async () => (await found(id))?.attributes["Members"];
      const shown = (count: number) => ({ "~Count": count, "~UnfilteredCount": count });

      expect((await send(demo, `/v1/object/${id}`, "GET")).body.data).toMatchObject({ Members: shown(1), Chair: null });
      for (const Members of [[bob], [], [bob, ada]]) {
        const answer = await patch(id, { Members });
        expect(answer).toMatchObject({ code: "0", body: { data: { Members: shown(Members.length) } } });
        expect(await stored()).toEqual([...Members, hidden, recycled]);
      }
      expect(await patch(id, { Members: [hidden] })).toMatchObject({ status: 400, code: "307" });
      expect((await patch(id, { Members: null })).body.data.Members).toMatchObject(shown(0));
      expect(await stored()).toEqual([hidden, recycled]);

      const all = (attributes: object) =>
        send(demo, `/v1/objects/${name}?query={"where":{"Members":{"$exists":true}}}`, "PATCH", attributes);
      expect(await all({ Members: [ada] })).toMatchObject({ code: "0", body: { data: { "~Count": 1 } } });
      expect(await stored()).toEqual([ada, hidden, recycled]);
      expect(await patch(id, { Chair: bob })).toMatchObject({
        code: "0",
        body: { data: { Chair: { "~ObjectID": bob } } },
      });

      expect(await patch(id, { Members: [bob] }, {}, admin)).toMatchObject({ code: "0" });
      expect(await stored()).toEqual([bob, recycled]);
      await send(admin, `/v1/object/${recycled}/restore`, "POST");
      expect((await send(demo, `/v1/object/${id}`, "GET")).body.data.Members).toMatchObject(shown(2));
      expect((await patch(id, { Members: null }, {}, admin)).body.data.Members).toMatchObject(shown(0));
      expect(await stored()).toBeNull();
    });

    test("changes all that match, or none", async () => {
      const City = `Bulk ${mode} ${crypto.randomUUID()}`;
      const ids = await Promise.all(
        Array.from({ length: 12 }, (_, index) => create("Customer", { Name: `${index}`, City, CreditLimit: index })),
      );
      const all = (query: object, attributes: object, as = demo) =>
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

    test("changes what matches at one moment, however many others change it", async () => {
      const City = `Moving ${mode} ${crypto.randomUUID()}`;
      const ids = await Promise.all(
        Array.from({ length: 8 }, () => create("Customer", { Name: "Ada", City, CreditLimit: 0 })),
      );
      const query = encodeURIComponent(JSON.stringify({ where: { City, CreditLimit: 0 } }));
      const bulk = Array.from({ length: 4 }, () =>
        send(demo, `/v1/objects/Customer?query=${query}`, "PATCH", { CreditLimit: 1 }),
      );
      const single = ids.map((id) => patch(id, { CreditLimit: 2 }));
      const counts = (await Promise.all(bulk)).map(({ body }) => body.data["~Count"] as number);
      await Promise.all(single);
      // Whoever came first, nobody has set 1 where 2 stood, and each object was changed by one of the changes of many at most.
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
      expect((await send(demo, `/v1/object/${id}`, "GET")).body.data.Name).toBe(Name);
    });

    test("lets no object grow beyond a mebibyte, whichever way it is written", async () => {
      const part = "x".repeat(600_000);
      const id = await create("Customer", { Name: part });
      const stored = await found(id);
      expect(await patch(id, { City: part })).toMatchObject({ status: 413, code: "801" });
      const query = encodeURIComponent(JSON.stringify({ oids: [id] }));
      expect(await send(demo, `/v1/objects/Customer?query=${query}`, "PATCH", { City: part })).toMatchObject({
        status: 413,
        code: "801",
      });
      expect(await found(id)).toEqual(stored);
      expect(seen(await patch(id, { Name: "Ada", City: part }))).toMatchObject({ code: "0", etag: '"2"' });
    });

    test("lets nobody write what he may not see", async () => {
      const [hidden] = await repositories().objects.insert([
        { className: "Customer", attributes: { Name: "Hidden" }, readers: [] },
      ]);
      const id = hidden?.id as string;
      expect(await patch(id, { Name: "Found" })).toMatchObject({ status: 404, code: "304" });
      for (const method of ["GET", "POST", "DELETE"] as const)
        expect(await lock(id, method, demo)).toMatchObject({ status: 404, code: "304" });
      const invoice = await create("Invoice", { Number: "1" });
      expect(await patch(invoice, { Customer: id })).toMatchObject({ status: 400, code: "307" });
      expect(await found(id)).toEqual(hidden);
      expect(await patch(id, { Name: "Found" }, {}, admin)).toMatchObject({ code: "0" });
    });

    test("lets one session alone write what it has locked", async () => {
      const id = await create("Customer", { Name: "Ada" });
      const other = await logIn("demo");
      const reader = await logIn("reader");
      expect(seen(await lock(id, "GET", demo))).toMatchObject({ code: "0", data: { isLocked: false, messages: [] } });
      const mine = {
        isLocked: true,
        messages: [expect.stringMatching(/^This session has locked the object since \d{8}T\d{6}[+-]\d\d:\d\d\.$/)],
      };
      const theirs = {
        isLocked: true,
        messages: [expect.stringMatching(/^Another session has locked the object since /)],
      };
      for (let round = 0; round < 2; round += 1)
        expect(seen(await lock(id, "POST", demo))).toMatchObject({ code: "0", data: mine });
      expect([(await lock(id, "GET", demo)).body.data, (await lock(id, "GET", reader)).body.data]).toEqual([
        mine,
        theirs,
      ]);

      for (const as of [other, admin]) {
        expect(await patch(id, { Name: "Bob" }, {}, as)).toMatchObject({ status: 500, code: "713" });
        expect(await lock(id, "POST", as)).toMatchObject({ status: 500, code: "713" });
      }
      expect(await lock(id, "DELETE", other)).toMatchObject({ status: 500, code: "713" });
      expect(await patch(id, { Name: "Carl" })).toMatchObject({ code: "0" });

      expect(seen(await lock(id, "DELETE", demo))).toMatchObject({
        code: "0",
        data: { isLocked: false, messages: [] },
      });
      expect(await patch(id, { Name: "Dora" }, {}, other)).toMatchObject({ code: "0" });
      expect(await lock(id, "DELETE", demo)).toMatchObject({ code: "0" });
      expect(await found(id)).toMatchObject({ version: 3, attributes: { Name: "Dora" } });
    });

    test("lets a session lock so many objects and no more", async () => {
      const session = await logIn("demo");
      const ids = await Promise.all(
        Array.from({ length: locksPerSession + 3 }, () => create("Customer", { Name: "Ada" })),
      );
      const answers = await Promise.all(ids.map((id) => lock(id, "POST", session)));
      const refused = ids.filter((_, index) => answers[index]?.code === "307");
      expect([answers.filter(({ code }) => code === "0").length, refused.length]).toEqual([locksPerSession, 3]);
      expect(answers.find(({ code }) => code === "307")).toMatchObject({ status: 400 });

      const [next, taken] = [refused[0] as string, ids.find((id) => !refused.includes(id)) as string];
      expect(await lock(taken, "POST", session)).toMatchObject({ code: "0" });
      expect(await lock(next, "POST", await logIn("demo"))).toMatchObject({ code: "0" });
      expect(await lock(next, "POST", session)).toMatchObject({ status: 500, code: "713" });
      expect(await lock(taken, "DELETE", session)).toMatchObject({ code: "0" });
      expect(await lock(refused[1] as string, "POST", session)).toMatchObject({ code: "0" });
      expect(await lock(taken, "POST", session)).toMatchObject({ status: 400, code: "307" });
      await logOutIn(server(), session);
    });

    test("ends a lock with its session, and lets an administrator end it", async () => {
      const id = await create("Customer", { Name: "Ada" });
      const leaving = await logIn("demo");
      await lock(id, "POST", leaving);
      expect((await patch(id, { Name: "Bob" })).code).toBe("713");
      await logOutIn(server(), leaving);
      expect((await patch(id, { Name: "Bob" })).code).toBe("0");

      const device = { deviceId: `lock-${mode}` };
      await lock(id, "POST", await logIn("demo", { device }));
      for (let beside = 1; beside < 5; beside += 1) await logIn("demo", { device });
      expect((await patch(id, { Name: "Carl" })).code).toBe("713");
      const next = await logIn("demo", { device });
      expect((await patch(id, { Name: "Carl" })).code).toBe("0");

      await lock(id, "POST", next);
      expect(seen(await lock(id, "DELETE", admin))).toMatchObject({ code: "0", data: { isLocked: false } });
      expect((await patch(id, { Name: "Dora" })).code).toBe("0");
    });

    test("renames who logs in with the user, or neither", async () => {
      const { accounts } = repositories();
      const { account } = await accounts.forProof("reader", []);
      const names = ["before", "after", "taken"].map((name) => `${name}-${mode}`) as [string, string, string];
      const userId = await create("User", { Name: names[0] }, admin);
      await accounts.create(
        { userId, loginName: names[0], secret: account?.secret as string, administrator: false },
        names[0],
      );
      const taken = await create("User", { Name: names[2] }, admin);
      await accounts.create(
        { userId: taken, loginName: names[2], secret: account?.secret as string, administrator: false },
        names[2],
      );
      const enter = async (name: string) => (await tryLogIn(server(), name, { pass: "reader" })).code;

      expect(await patch(userId, { Name: names[1] }, {}, admin)).toMatchObject({ code: "0" });
      expect([await enter(names[0]), await enter(names[1])]).toEqual(["302", "0"]);
      for (const name of [names[2], ` ${names[2].toUpperCase()}`, " ", ""]) {
        expect(await patch(userId, { Name: name, Description: "new" }, {}, admin)).toMatchObject({
          status: 400,
          code: "307",
        });
      }
      expect(await found(userId)).toMatchObject({ version: 2, attributes: { Name: names[1] } });
      expect(await enter(names[1])).toBe("0");
    });

    test("gives no two users names that look alike, however many ask at once", async () => {
      const name = `Quentin-${mode}`;
      const spellings = [name, name.toUpperCase(), ` ${name}`, `Q\u200Buentin-${mode}`, name.replace("Q", "\uFF31")];
      const answers = await Promise.all(
        [...spellings, ...spellings].map((each) => send(admin, "/v1/object/User", "POST", { Name: each })),
      );
      expect(answers.map(({ status, code }) => `${status}/${code}`).toSorted()).toEqual([
        "200/0",
        ...Array(9).fill("400/307"),
      ]);
      const id = answers.find(({ code }) => code === "0")?.body.data["~ObjectID"] as string;
      const others = await Promise.all(
        ["one", "two", "three"].map((each) => create("User", { Name: `${each}-${mode}` }, admin)),
      );
      for (const other of others)
        expect(await patch(other, { Name: name }, {}, admin)).toMatchObject({ status: 400, code: "307" });
      expect(await patch(id, { Name: name.toUpperCase() }, {}, admin)).toMatchObject({ code: "0" });
      expect(await send(admin, `/v1/object/${id}?moveToRecycler=true`, "DELETE")).toMatchObject({ code: "0" });
      const renamed = await Promise.all(others.map((other) => patch(other, { Name: name }, {}, admin)));
      expect(renamed.map(({ code }) => code).toSorted()).toEqual(["0", "307", "307"]);
      expect(await send(admin, `/v1/object/${id}/restore`, "POST")).toMatchObject({ status: 400, code: "307" });
    });

    test("leaves names and groups of users to administrators, whoever may write users", async () => {
      const { model } = repositories();
      const { classes } = await model.load();
      const user = classes.find(({ name }) => name === "User") as ClassDefinition;
      const put = async (definition: ClassDefinition) =>
        model.change({ put: [definition] }, (await model.load()).generation);
      await put({ ...user, rights: [{ group: "*", permissions: ["read", "create", "write"] }] });
      try {
        const id = await create("User", { Name: `somebody-${mode}` }, admin);
        for (const attributes of [{ Name: "other" }, { Groups: [] }, { Description: "x", Groups: null }]) {
          expect(await patch(id, attributes)).toMatchObject({ status: 403, code: "404" });
        }
        expect(await send(demo, "/v1/object/User", "POST", { Name: "new" })).toMatchObject({
          status: 403,
          code: "404",
        });
        expect(seen(await patch(id, { Description: "works here" }))).toMatchObject({
          code: "0",
          etag: '"2"',
          data: { Description: "works here" },
        });
      } finally {
        await put(user);
      }
    });

    test("writes by the model of the moment", async () => {
      const { model } = repositories();
      const name = `Thing_${mode}`;
      const put = async (mandatory: boolean) => {
        const attributes = [
          { name: "Text", type: "string", mandatory },
          { name: "Any", type: "json" },
        ] as const;
        await model.change(
          {
            put: [{ name, base: null, attributes, rights: [{ group: "*", permissions: ["read", "create", "write"] }] }],
          },
          (await model.load()).generation,
        );
      };
      await put(false);
      const id = await create(name, { Any: { deep: [1, { "~Odd": null }], list: [] } });
      await put(true);
      expect(await send(demo, `/v1/object/${name}`, "POST", {})).toMatchObject({ status: 400, code: "307" });
      expect(await patch(id, { Text: null })).toMatchObject({ code: "307" });
      expect(seen(await patch(id, { Text: "now" }))).toMatchObject({
        code: "0",
        data: { Text: "now", Any: { deep: [1, { "~Odd": null }], list: [] } },
      });
    });
  });
}
