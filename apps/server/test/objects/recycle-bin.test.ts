import type { Database } from "@sallyport/core";
import { everything, deletionFixture } from "./deletion-fixture.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";
import { objectEnvironment } from "./object-environment.ts";

/** The contents of the recycle bin, their readers, and how it is emptied. */
onEngines(
  "the recycle bin",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, repositories, send, create, path, remove, recycle, restore, read, emptied, uuidOf, define } =
        deletionFixture(server, mode);
      test("lists the recycle bin page by page, and purges an object with its cascade", async () => {
        await emptied(sessions.demo);
        const name = `Bin_${mode}`;
        const attributes = [{ name: "Owner", type: "reference", onDelete: "cascade" }] as const;
        await define({ name, base: null, attributes, rights: [{ group: "*", permissions: everything }] });
        const owner = await create("Customer", { Name: "Ada" });
        const follower = await create(name, { Owner: owner });
        const invoice = await create("Invoice", { Number: "1", Customer: owner });
        const [second, third] = [await create("Customer", { Name: "Bob" }), await create("Customer", { Name: "Carl" })];
        for (const id of [owner, second]) expect(await recycle(id)).toMatchObject({ code: "0" });
        expect(await recycle(third, sessions.admin)).toMatchObject({ code: "0" });

        const { account } = await repositories().accounts.find({ realm: "database", loginName: "demo" }, []);
        const { body } = await send(sessions.demo, "/v1/recycler");
        const common = {
          "~ClassName": "Customer",
          "~StoreTime": expect.stringMatching(/^\d{8}T\d{6}[+-]\d\d:\d\d$/),
          "~UUID": expect.stringMatching(/^[0-9a-f-]{36}$/),
          "~DeletedBy": account?.userId,
        };
        expect(body.data).toEqual({ "~Elements": [second, owner].map((id) => ({ ...common, "~ObjectID": id })) });
        const first = await send(sessions.demo, "/v1/recycler?perPage=1");
        const next = await send(
          sessions.demo,
          `/v1/recycler?perPage=1&cursor=${encodeURIComponent(first.body.data["~Cursor"])}`,
        );
        expect([first, next].map((page) => page.body.data["~Elements"])).toEqual([
          [body.data["~Elements"][0]],
          [body.data["~Elements"][1]],
        ]);
        expect((await send(sessions.reader, "/v1/recycler")).body.data).toEqual({ "~Elements": [] });
        const ofAll = (await send(sessions.admin, "/v1/recycler?perPage=1000")).body.data["~Elements"] as {
          "~ObjectID": string;
        }[];
        expect(ofAll.map((element) => element["~ObjectID"]).slice(0, 3)).toEqual([third, second, owner]);
        for (const query of [
          "perPage=0",
          "perPage=1001",
          "cursor=made-up",
          `cursor=${encodeURIComponent(first.body.data["~Cursor"])}x`,
        ]) {
          expect(await send(sessions.demo, `/v1/recycler?${query}`)).toMatchObject({ status: 400, code: "307" });
        }
        expect(
          await send(sessions.admin, `/v1/recycler?cursor=${encodeURIComponent(first.body.data["~Cursor"])}`),
        ).toMatchObject({
          status: 400,
          code: "307",
        });

        expect(await send(sessions.reader, `/v1/recycler/${owner}`, "DELETE")).toMatchObject({
          status: 403,
          code: "404",
        });
        expect(await send(sessions.demo, `/v1/recycler/${invoice}`, "DELETE")).toMatchObject({
          status: 400,
          code: "307",
        });
        expect(await send(sessions.demo, "/v1/recycler/ZZZZZZZZ", "DELETE")).toMatchObject({
          status: 404,
          code: "304",
        });
        expect(await send(sessions.demo, `/v1/recycler/${follower}`, "DELETE")).toMatchObject({
          status: 200,
          code: "0",
          body: { data: { "~Count": 2 } },
        });
        for (const id of [owner, follower]) {
          expect(await read(id)).toMatchObject({ status: 410, code: "609" });
          expect(await restore(id)).toMatchObject({ status: 410, code: "609" });
          expect(await send(sessions.demo, `/v1/recycler/${id}`, "DELETE")).toMatchObject({ status: 410, code: "609" });
        }
        expect(await read(invoice)).toMatchObject({ body: { data: { Customer: null } }, headers: { etag: '"2"' } });
      });

      test("names the user of a deletion only in the recycle bin, to that user and to administrators", async () => {
        const ids = [await create("Customer", { Name: "Ada" }), await create("Customer", { Name: "Bob" })];
        const [own, foreign] = ids as [string, string];
        await recycle(own);
        await recycle(foreign, sessions.admin);
        const userOf = async (loginName: string) =>
          (await repositories().accounts.find({ realm: "database", loginName }, [])).account?.userId as string;
        const deletedBy = async (session: typeof sessions.demo) => {
          const { body } = await send(session, "/v1/recycler?perPage=1000");
          const elements = body.data["~Elements"] as { "~ObjectID": string; "~DeletedBy": string | null }[];
          return new Map(elements.map((element) => [element["~ObjectID"], element["~DeletedBy"]]));
        };
        const [demo, admin] = [await userOf("demo"), await userOf("admin")];
        const ofAdmin = await deletedBy(sessions.admin);
        expect(ids.map((id) => ofAdmin.get(id))).toEqual([demo, admin]);
        const ofDemo = await deletedBy(sessions.demo);
        expect([ofDemo.get(own), ofDemo.has(foreign)]).toEqual([demo, false]);
        expect(new Set(ofDemo.values())).toEqual(new Set([demo]));
        expect((await deletedBy(sessions.reader)).size).toBe(0);
        const answers = [
          await read(own),
          await send(sessions.demo, "/v1/objects/Customer?perPage=1000"),
          await restore(own),
          await read(own),
        ];
        for (const { body } of answers) expect(JSON.stringify(body)).not.toContain("~DeletedBy");
        expect((await send(sessions.admin, `/v1/recycler/${foreign}`, "DELETE")).code).toBe("0");
      });

      test("purges the objects that a user recycled, or everything", async () => {
        await emptied(sessions.demo);
        const ids = await Promise.all(["Ada", "Bob", "Carl"].map((Name) => create("Customer", { Name })));
        const foreign = await create("Customer", { Name: "Dora" });
        for (const id of ids) await recycle(id);
        await recycle(foreign, sessions.admin);
        expect(await send(sessions.demo, "/v1/recycler?all=true", "DELETE")).toMatchObject({
          status: 403,
          code: "404",
        });
        expect(await send(sessions.demo, "/v1/recycler?all=1", "DELETE")).toMatchObject({ status: 400, code: "307" });
        const both = [
          { method: "DELETE", path: "/v1/recycler" },
          { method: "GET", path: "/v1/recycler" },
          { method: "DELETE", path: `/v1/recycler/${foreign}` },
        ];
        const { body } = await send(sessions.demo, "/v1/multi", "POST", both);
        expect(body.data.map(({ result }: { result: { data: object } }) => result.data)).toEqual([
          { "~Count": 3 },
          { "~Elements": [] },
          { "~Count": 1 },
        ]);
        await recycle(await create("Customer", { Name: "Eve" }));
        expect((await send(sessions.admin, "/v1/recycler?all=true", "DELETE")).body.data["~Count"]).toBeGreaterThan(0);
        expect((await send(sessions.admin, "/v1/recycler?all=true", "DELETE")).body.data).toEqual({ "~Count": 0 });
      });

      test("enforces the quota of the recycle bin in concurrent deletions", async () => {
        await emptied(sessions.demo);
        const { policy } = server().databases.get("") as Database;
        const before = policy.objects;
        Object.assign(policy, { objects: { recycleBinPerUser: 3 } });
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
          expect(await recycle(refused[0] as string, sessions.admin)).toMatchObject({ code: "0" });
          expect(await remove(refused[1] as string)).toMatchObject({ code: "0" });
          await emptied(sessions.demo);
          expect(await recycle(refused[2] as string)).toMatchObject({ code: "0" });
        } finally {
          Object.assign(policy, { objects: before });
        }
      });

      test("recycles an object and restores it unchanged", async () => {
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
        expect(await send(sessions.demo, path(id), "PATCH", { Name: "Eve" })).toMatchObject({
          status: 400,
          code: "610",
        });
        const back = await restore(id);
        expect(back).toMatchObject({ status: 200, code: "0", headers: { etag: '"3"' } });
        expect(back.body.data).toEqual({ ...before, "~StoreTime": expect.stringMatching(/^\d{8}T/) });
        expect(await read(id)).toMatchObject({ code: "0", headers: { etag: '"3"' }, body: { data: back.body.data } });
        expect((await read(invoice)).body.data["Customer"]).toMatchObject({ "~ObjectID": id, Name: "Ada" });
        expect(await restore(id)).toMatchObject({ status: 400, code: "307" });
        expect(await recycle(await uuidOf(id))).toMatchObject({ code: "0" });
        expect(
          (await send(sessions.demo, `${path(id)}/restore?serialization={"type":"oid"}`, "POST")).body.data,
        ).toEqual({
          "~ObjectID": id,
        });
      });
    });
  },
  { environment: objectEnvironment },
);
