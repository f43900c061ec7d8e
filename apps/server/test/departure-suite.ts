import { type ClassDefinition, type Database, type Repositories, seesAll } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { type Answer, callIn, checkSessionIn, type Sent, tryLogIn } from "./client.ts";
import { modes, overCode } from "./modes.ts";
import { openSession } from "./open-session.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

const everything = ["read", "create", "write", "delete"] as const;

/** How objects are deleted and restored, in every mode and on every engine. */
export function departureSuite(server: () => RunningServer): void {
  const repositories = (): Repositories => {
    const found = server().databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found.storage.repositories;
  };
  const send = (
    session: Session,
    path: string,
    method: Sent["method"] = "GET",
    body?: object,
    headers: Sent["headers"] = {},
  ): Promise<Answer> =>
    callIn(server(), session, path, { method, headers, ...(body === undefined ? {} : { body }) } as Sent);

  describe.each(modes)("in mode %s", (mode) => {
    let demo: Session;
    let admin: Session;
    let reader: Session;
    beforeAll(async () => {
      [demo, admin, reader] = [
        await openSession(server(), mode, "demo"),
        await openSession(server(), mode, "admin"),
        await openSession(server(), mode, "reader"),
      ];
    });

    const create = async (className: string, attributes: object, as = demo): Promise<string> => {
      const answer = await send(as, `/v1/object/${className}`, "POST", attributes);
      if (answer.code !== "0") throw new Error(`Creating a ${className} answers ${answer.code}.`);
      return answer.body.data["~ObjectID"];
    };
    const path = (id: string) => `/v1/object/${id}`;
    const remove = (
      id: string,
      { query = "", headers = {}, as = demo }: { query?: string; headers?: Sent["headers"]; as?: Session } = {},
    ) => send(as, `${path(id)}${query}`, "DELETE", undefined, headers);
    const recycle = (id: string, as = demo) => remove(id, { query: "?moveToRecycler=true", as });
    const restore = (id: string, as = demo) => send(as, `${path(id)}/restore`, "POST");
    const read = (id: string, as = demo) => send(as, path(id));
    const emptied = async (as: Session) => {
      while ((await send(as, "/v1/recycler", "DELETE")).body.data["~Count"] > 0);
    };
    const uuidOf = async (id: string) => (await repositories().objects.get([id], seesAll))[0]?.uuid as string;
    const define = async (...put: ClassDefinition[]) => {
      const { model } = repositories();
      await model.change({ put }, (await model.load()).generation);
    };

    test("deletes an object for good, and tells everybody who could read it", async () => {
      const [id, other] = [await create("Customer", { Name: "Ada" }), await create("Customer", { Name: "Bob" })];
      const uuid = await uuidOf(id);
      expect(await remove(id)).toMatchObject({ status: 200, code: "0", body: { data: {} } });
      for (const name of [id, uuid, uuid.toUpperCase()]) {
        for (const as of [demo, reader, admin])
          expect(await read(name, as)).toMatchObject({ status: 410, code: "609" });
        expect(await remove(name)).toMatchObject({ status: 410, code: "609" });
        expect(await recycle(name)).toMatchObject({ status: 410, code: "609" });
        expect(await restore(name)).toMatchObject({ status: 410, code: "609" });
        expect(await send(demo, path(name), "PATCH", { Name: "Eve" })).toMatchObject({ status: 400, code: "610" });
        expect(await send(demo, `/v1/lock/object/${name}`)).toMatchObject({ status: 410, code: "609" });
        for (const method of ["POST", "DELETE"] as const)
          expect(await send(demo, `/v1/lock/object/${name}`, method)).toMatchObject({ status: 400, code: "610" });
      }
      expect((await read(id)).body).not.toHaveProperty("data");
      expect(await send(demo, "/v1/object/Invoice", "POST", { Number: "1", Customer: id })).toMatchObject({
        status: 400,
        code: "307",
      });
      const query = encodeURIComponent(JSON.stringify({ oids: [id, other] }));
      expect((await send(demo, `/v1/objects/Customer?query=${query}`)).body.data).toMatchObject({
        "~Count": 1,
        "~Elements": [{ "~ObjectID": other }],
      });
    });

    test("lists the recycle bin, page by page, and purges one with what was recycled with it", async () => {
      await emptied(demo);
      const name = `Bin_${mode}`;
      const attributes = [{ name: "Owner", type: "reference", onDelete: "cascade" }] as const;
      await define({ name, base: null, attributes, rights: [{ group: "*", permissions: everything }] });
      const owner = await create("Customer", { Name: "Ada" });
      const follower = await create(name, { Owner: owner });
      const invoice = await create("Invoice", { Number: "1", Customer: owner });
      const [second, third] = [await create("Customer", { Name: "Bob" }), await create("Customer", { Name: "Carl" })];
      for (const id of [owner, second]) expect(await recycle(id)).toMatchObject({ code: "0" });
      expect(await recycle(third, admin)).toMatchObject({ code: "0" });

      const { account } = await repositories().accounts.forProof("demo", []);
      const { body } = await send(demo, "/v1/recycler");
      const common = {
        "~ClassName": "Customer",
        "~StoreTime": expect.stringMatching(/^\d{8}T\d{6}[+-]\d\d:\d\d$/),
        "~UUID": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "~DeletedBy": account?.userId,
      };
      expect(body.data).toEqual({ "~Elements": [second, owner].map((id) => ({ ...common, "~ObjectID": id })) });
      const first = await send(demo, "/v1/recycler?perPage=1");
      const next = await send(demo, `/v1/recycler?perPage=1&cursor=${encodeURIComponent(first.body.data["~Cursor"])}`);
      expect([first, next].map((page) => page.body.data["~Elements"])).toEqual([
        [body.data["~Elements"][0]],
        [body.data["~Elements"][1]],
      ]);
      expect((await send(reader, "/v1/recycler")).body.data).toEqual({ "~Elements": [] });
      const ofAll = (await send(admin, "/v1/recycler?perPage=1000")).body.data["~Elements"] as {
        "~ObjectID": string;
      }[];
      expect(ofAll.map((element) => element["~ObjectID"]).slice(0, 3)).toEqual([third, second, owner]);
      for (const query of [
        "perPage=0",
        "perPage=1001",
        "cursor=made-up",
        `cursor=${encodeURIComponent(first.body.data["~Cursor"])}x`,
      ]) {
        expect(await send(demo, `/v1/recycler?${query}`)).toMatchObject({ status: 400, code: "307" });
      }
      expect(await send(admin, `/v1/recycler?cursor=${encodeURIComponent(first.body.data["~Cursor"])}`)).toMatchObject({
        status: 400,
        code: "307",
      });

      expect(await send(reader, `/v1/recycler/${owner}`, "DELETE")).toMatchObject({ status: 403, code: "404" });
      expect(await send(demo, `/v1/recycler/${invoice}`, "DELETE")).toMatchObject({ status: 400, code: "307" });
      expect(await send(demo, "/v1/recycler/ZZZZZZZZ", "DELETE")).toMatchObject({ status: 404, code: "304" });
      expect(await send(demo, `/v1/recycler/${follower}`, "DELETE")).toMatchObject({
        status: 200,
        code: "0",
        body: { data: { "~Count": 2 } },
      });
      for (const id of [owner, follower]) {
        expect(await read(id)).toMatchObject({ status: 410, code: "609" });
        expect(await restore(id)).toMatchObject({ status: 410, code: "609" });
        expect(await send(demo, `/v1/recycler/${id}`, "DELETE")).toMatchObject({ status: 410, code: "609" });
      }
      expect(await read(invoice)).toMatchObject({ body: { data: { Customer: null } }, headers: { etag: '"2"' } });
    });

    test("purges what a user has recycled, or everything", async () => {
      await emptied(demo);
      const ids = await Promise.all(["Ada", "Bob", "Carl"].map((Name) => create("Customer", { Name })));
      const foreign = await create("Customer", { Name: "Dora" });
      for (const id of ids) await recycle(id);
      await recycle(foreign, admin);
      expect(await send(demo, "/v1/recycler?all=true", "DELETE")).toMatchObject({ status: 403, code: "404" });
      expect(await send(demo, "/v1/recycler?all=1", "DELETE")).toMatchObject({ status: 400, code: "307" });
      const both = [
        { method: "DELETE", path: "/v1/recycler" },
        { method: "GET", path: "/v1/recycler" },
        { method: "DELETE", path: `/v1/recycler/${foreign}` },
      ];
      const { body } = await send(demo, "/v1/multi", "POST", both);
      expect(body.data.map(({ result }: { result: { data: object } }) => result.data)).toEqual([
        { "~Count": 3 },
        { "~Elements": [] },
        { "~Count": 1 },
      ]);
      await recycle(await create("Customer", { Name: "Eve" }));
      expect((await send(admin, "/v1/recycler?all=true", "DELETE")).body.data["~Count"]).toBeGreaterThan(0);
      expect((await send(admin, "/v1/recycler?all=true", "DELETE")).body.data).toEqual({ "~Count": 0 });
    });

    test("takes no more into the recycle bin of a user than the quota says, however many are deleted at once", async () => {
      await emptied(demo);
      const { policy } = server().databases.get("") as Database;
      const before = policy.objects;
      Object.assign(policy, { objects: { recycledPerUser: 3 } });
      try {
        const ids = await Promise.all(
          Array.from({ length: 8 }, (_, index) => create("Customer", { Name: `C${index}` })),
        );
        const answers = await Promise.all(ids.map((id) => recycle(id)));
        expect(answers.map(({ status, code }) => `${status}/${code}`).toSorted()).toEqual([
          ...Array(3).fill("200/0"),
          ...Array(5).fill("500/718"),
        ]);
        const refused = ids.filter((_, index) => answers[index]?.code === "718");
        for (const id of refused) expect(await read(id)).toMatchObject({ status: 200, headers: { etag: '"1"' } });
        expect(await recycle(refused[0] as string, admin)).toMatchObject({ code: "0" });
        expect(await remove(refused[1] as string)).toMatchObject({ code: "0" });
        await emptied(demo);
        expect(await recycle(refused[2] as string)).toMatchObject({ code: "0" });
      } finally {
        Object.assign(policy, { objects: before });
      }
    });

    test("recycles an object and brings it back as it was", async () => {
      const id = await create("Customer", {
        Name: "Ada",
        City: "London",
        CreditLimit: 5.5,
        Active: false,
        Country: null,
      });
      const invoice = await create("Invoice", { Number: "1", Customer: id });
      const { data: before } = (await read(id)).body;
      expect(await recycle(id)).toMatchObject({ status: 200, code: "0", body: { data: {} } });
      expect(await read(id)).toMatchObject({ status: 410, code: "609" });
      expect((await read(invoice)).body.data["Customer"]).toBeNull();
      expect(await send(demo, path(id), "PATCH", { Name: "Eve" })).toMatchObject({ status: 400, code: "610" });
      const back = await restore(id);
      expect(back).toMatchObject({ status: 200, code: "0", headers: { etag: '"3"' } });
      expect(back.body.data).toEqual({ ...before, "~StoreTime": expect.stringMatching(/^\d{8}T/) });
      expect(await read(id)).toMatchObject({ code: "0", headers: { etag: '"3"' }, body: { data: back.body.data } });
      expect((await read(invoice)).body.data["Customer"]).toMatchObject({ "~ObjectID": id, Name: "Ada" });
      expect(await restore(id)).toMatchObject({ status: 400, code: "307" });
      expect(await recycle(await uuidOf(id))).toMatchObject({ code: "0" });
      expect((await send(demo, `${path(id)}/restore?serialization={"type":"oid"}`, "POST")).body.data).toEqual({
        "~ObjectID": id,
      });
    });

    test("deletes an object only in a version that is expected", async () => {
      const id = await create("Customer", { Name: "Ada" });
      for (const stale of ['"2"', 'W/"1"', "1"])
        expect(await remove(id, { headers: { "if-match": stale } })).toMatchObject({ status: 500, code: "713" });
      expect(await read(id)).toMatchObject({ code: "0" });
      expect(await remove(id, { headers: { "if-match": '"7", "1"' } })).toMatchObject({ code: "0" });
      expect(await remove(id, { headers: { "if-match": '"7"' } })).toMatchObject({ status: 410, code: "609" });
    });

    test("deletes an object once, however many ask at once", async () => {
      const id = await create("Customer", { Name: "Ada" });
      const codes = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          remove(id, { query: index % 2 === 0 ? "?moveToRecycler=false" : "" }).then(({ code }) => code),
        ),
      );
      expect(codes.toSorted()).toEqual(["0", "609", "609", "609", "609", "609"]);
    });

    test("says nothing of what is gone to those who could not read it", async () => {
      const [hidden] = await repositories().objects.insert([
        { className: "Customer", attributes: { Name: "Hidden" }, readers: [] },
      ]);
      const id = hidden?.id as string;
      for (const state of ["there", "gone"]) {
        for (const refused of [
          () => read(id),
          () => remove(id),
          () => restore(id),
          () => send(demo, path(id), "PATCH", { Name: "x" }),
          () => send(demo, `/v1/lock/object/${id}`, "POST"),
        ]) {
          expect(await refused()).toMatchObject({ status: 404, code: "304" });
        }
        if (state === "there") expect(await recycle(id, admin)).toMatchObject({ code: "0" });
      }
      expect(await restore(id, admin)).toMatchObject({ code: "0" });
    });

    test("clears what points to a deleted object, refuses where it is needed, and takes along what belongs to it", async () => {
      const names = ["Team", "Member", "Badge"].map((name) => `${name}_${mode}`) as [string, string, string];
      const [team, member, badge] = names;
      const rights = [{ group: "*", permissions: everything }] as const;
      await define(
        {
          name: team,
          base: null,
          attributes: [
            { name: "Name", type: "string" },
            { name: "Chair", type: "reference", target: member },
            { name: "Guests", type: "collection", target: member },
          ],
          rights,
        },
        {
          name: member,
          base: null,
          attributes: [
            { name: "Team", type: "reference", target: team, onDelete: "cascade" },
            { name: "Sponsor", type: "reference", target: member, mandatory: true },
          ],
          rights: [{ group: "*", permissions: ["read", "create"] }],
        },
        {
          name: badge,
          base: null,
          attributes: [{ name: "Owners", type: "collection", target: member, onDelete: "cascade" }],
          rights: [],
        },
      );
      const [first] = await repositories().objects.insert([{ className: member, attributes: {} }]);
      const sponsor = first?.id as string;
      const club = await create(team, { Name: "Club" });
      const [ada, bob] = [
        await create(member, { Team: club, Sponsor: sponsor }),
        await create(member, { Team: club, Sponsor: sponsor }),
      ];
      const [owned] = await repositories().objects.insert([
        { className: badge, attributes: { Owners: [ada] }, links: { Owners: [ada] }, readers: [] },
      ]);
      const other = await create(team, { Name: "Other", Chair: ada, Guests: [bob, sponsor, ada] });

      for (const query of ["", "?moveToRecycler=true"])
        expect(await remove(sponsor, { query, as: admin })).toMatchObject({ status: 500, code: "718" });
      expect(await remove(ada)).toMatchObject({ status: 403, code: "404" });

      expect(await recycle(club)).toMatchObject({ code: "0" });
      for (const id of [ada, bob]) expect(await read(id)).toMatchObject({ code: "609" });
      expect((await read(other)).body.data).toMatchObject({ Chair: null, Guests: { "~Count": 1 } });
      expect(await restore(ada)).toMatchObject({ status: 403, code: "404" });
      expect(await restore(ada, admin)).toMatchObject({ code: "0", headers: { etag: '"3"' } });
      expect((await read(other)).body.data).toMatchObject({ Chair: { "~ObjectID": ada }, Guests: { "~Count": 3 } });

      expect(await remove(club)).toMatchObject({ code: "0" });
      expect(await read(other)).toMatchObject({
        headers: { etag: '"2"' },
        body: { data: { Chair: null, Guests: { "~Elements": [{ "~ObjectID": sponsor }] } } },
      });
      expect(await read(owned?.id as string, admin)).toMatchObject({ code: "609" });
      expect(await remove(sponsor, { as: admin })).toMatchObject({ code: "0" });
    });

    test("refuses to delete what another session has locked, and ends the lock of what it deletes", async () => {
      const [id, invoice] = [await create("Customer", { Name: "Ada" }), await create("Invoice", { Number: "1" })];
      await send(demo, path(invoice), "PATCH", { Customer: id });
      const other = await openSession(server(), mode, "demo");
      await send(other, `/v1/lock/object/${id}`, "POST");
      for (const as of [demo, admin]) expect(await remove(id, { as })).toMatchObject({ status: 500, code: "718" });
      await send(other, `/v1/lock/object/${id}`, "DELETE");
      await send(other, `/v1/lock/object/${invoice}`, "POST");
      expect(await remove(id)).toMatchObject({ status: 500, code: "718" });
      await send(other, `/v1/lock/object/${id}`, "POST");
      expect(await remove(id, { query: "?moveToRecycler=true", as: other })).toMatchObject({ code: "0" });
      expect(await restore(id)).toMatchObject({ code: "0" });
      expect((await send(demo, `/v1/lock/object/${id}`)).body.data.isLocked).toBe(false);
    });

    test("logs a user out for good who is deleted", async () => {
      const { accounts } = repositories();
      const { account } = await accounts.forProof("reader", []);
      for (const [query, administrator] of [
        ["?moveToRecycler=true", true],
        ["", false],
      ] as const) {
        const name = `leaving-${mode}-${administrator}`;
        const userId = await create("User", { Name: name }, admin);
        await accounts.create({ userId, loginName: name, secret: account?.secret as string, administrator }, name);
        const session = await openSession(server(), mode, name, { password: "reader" });
        expect(await checkSessionIn(server(), session)).toBe("0");
        expect(await remove(userId, { query, as: admin })).toMatchObject({ code: "0" });
        expect(await checkSessionIn(server(), session)).toBe(overCode[mode]);
        expect(await tryLogIn(server(), name, { pass: "reader" })).toMatchObject({ status: 403, code: "302" });
        if (query === "") continue;
        expect(await restore(userId, admin)).toMatchObject({ code: "0", body: { data: { Name: name } } });
        expect(await tryLogIn(server(), name, { pass: "reader" })).toMatchObject({ status: 403, code: "302" });
      }
    });

    test("keeps a group as long as a class gives it rights, whoever is faster", async () => {
      const name = `Granting_${mode}`;
      const grant = (...groups: string[]) =>
        send(admin, `/v1/model/structure/${name}`, "PUT", {
          attributes: [],
          rights: groups.map((group) => ({ group, permissions: ["read"] })),
        });
      expect((await grant()).code).toBe("0");
      const group = await create("UserGroup", { Name: "Kept" }, admin);
      await grant(group);
      for (const query of ["", "?moveToRecycler=true"])
        expect(await remove(group, { query, as: admin })).toMatchObject({ status: 500, code: "718" });
      expect(await grant()).toMatchObject({ code: "0" });
      expect(await recycle(group, admin)).toMatchObject({ code: "0" });
      expect(await grant(group)).toMatchObject({ status: 400, code: "307" });

      for (let round = 0; round < 4; round += 1) {
        const next = await create("UserGroup", { Name: `Race ${round}` }, admin);
        const [granted, removed] = await Promise.all([grant(next), remove(next, { as: admin })]);
        expect([`${granted.code} ${removed.code}`]).toEqual([expect.stringMatching(/^(?:0 718|307 0)$/)]);
        expect((await grant()).code).toBe("0");
      }
    });

    test("hides what only a group that is gone could read", async () => {
      const group = await create("UserGroup", { Name: "Going" }, admin);
      const [object] = await repositories().objects.insert([
        { className: "Customer", attributes: { Name: "Kept" }, readers: [group] },
      ]);
      expect(await remove(group, { as: admin })).toMatchObject({ code: "0" });
      expect(await read(object?.id as string)).toMatchObject({ status: 404, code: "304" });
      expect(await read(object?.id as string, admin)).toMatchObject({ code: "0" });
    });

    test("lets nobody delete himself, and only administrators delete users", async () => {
      const { accounts, model } = repositories();
      const id = (await accounts.forProof("admin", [])).account?.userId as string;
      const user = (await model.load()).classes.find(({ name }) => name === "User") as ClassDefinition;
      for (const query of ["", "?moveToRecycler=true"])
        expect(await remove(id, { query, as: admin })).toMatchObject({ status: 500, code: "718" });
      expect(await remove(id)).toMatchObject({ status: 404, code: "304" });
      await define({ ...user, rights: [{ group: "*", permissions: everything }] });
      try {
        for (const query of ["", "?moveToRecycler=true"])
          expect(await remove(id, { query })).toMatchObject({ status: 403, code: "404" });
        // What keeps the user is told to nobody else.
        await send(admin, `/v1/lock/object/${id}`, "POST");
        for (const query of ["", "?moveToRecycler=true"])
          expect(await remove(id, { query })).toMatchObject({ status: 403, code: "404" });
        await send(admin, `/v1/lock/object/${id}`, "DELETE");
      } finally {
        await define(user);
      }
      expect(await read(id, admin)).toMatchObject({ code: "0" });
    });
  });
}
