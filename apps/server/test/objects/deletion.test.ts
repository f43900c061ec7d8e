import { deletionFixture, everything } from "./deletion-fixture.ts";
import { testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

/** How objects are deleted and restored, in every mode and on every engine. */
onEngines(
  "objects that are deleted and restored",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const fixture = deletionFixture(server, mode);
      const { sessions, repositories, send, create, path, remove, recycle, restore, read, uuidOf, define } = fixture;

      test("deletes an object permanently, and reports it as deleted to former readers", async () => {
        const [id, other] = [await create("Customer", { Name: "Ada" }), await create("Customer", { Name: "Bob" })];
        const uuid = await uuidOf(id);
        expect(await remove(id)).toMatchObject({ status: 200, code: "0", body: { data: {} } });
        for (const name of [id, uuid, uuid.toUpperCase()]) {
          for (const as of [sessions.demo, sessions.reader, sessions.admin])
            expect(await read(name, as)).toMatchObject({ status: 410, code: "609" });
          expect(await remove(name)).toMatchObject({ status: 410, code: "609" });
          expect(await recycle(name)).toMatchObject({ status: 410, code: "609" });
          expect(await restore(name)).toMatchObject({ status: 410, code: "609" });
          expect(await send(sessions.demo, path(name), "PATCH", { Name: "Eve" })).toMatchObject({
            status: 400,
            code: "610",
          });
          expect(await send(sessions.demo, `/v1/lock/object/${name}`)).toMatchObject({ status: 410, code: "609" });
          for (const method of ["POST", "DELETE"] as const)
            expect(await send(sessions.demo, `/v1/lock/object/${name}`, method)).toMatchObject({
              status: 400,
              code: "610",
            });
        }
        expect((await read(id)).body).not.toHaveProperty("data");
        expect(await send(sessions.demo, "/v1/object/Invoice", "POST", { Number: "1", Customer: id })).toMatchObject({
          status: 400,
          code: "307",
        });
        const query = encodeURIComponent(JSON.stringify({ oids: [id, other] }));
        expect((await send(sessions.demo, `/v1/objects/Customer?query=${query}`)).body.data).toMatchObject({
          "~Count": 1,
          "~Elements": [{ "~ObjectID": other }],
        });
      });

      test("deletes an object at an expected version only", async () => {
        const id = await create("Customer", { Name: "Ada" });
        for (const stale of ['"2"', 'W/"1"', "1"])
          expect(await remove(id, { headers: { "if-match": stale } })).toMatchObject({ status: 500, code: "713" });
        expect(await read(id)).toMatchObject({ code: "0" });
        expect(await remove(id, { headers: { "if-match": '"7", "1"' } })).toMatchObject({ code: "0" });
        expect(await remove(id, { headers: { "if-match": '"7"' } })).toMatchObject({ status: 410, code: "609" });
      });

      test("deletes an object once in concurrent requests", async () => {
        const id = await create("Customer", { Name: "Ada" });
        const codes = await Promise.all(
          Array.from({ length: 6 }, (_, index) =>
            remove(id, { query: index % 2 === 0 ? "?moveToRecycler=false" : "" }).then(({ code }) => code),
          ),
        );
        expect(codes.toSorted()).toEqual(["0", "609", "609", "609", "609", "609"]);
      });

      test("reveals nothing about a deleted object to callers who could not read it", async () => {
        const [hidden] = await repositories().objects.insert([
          { className: "Customer", attributes: { Name: "Hidden" }, readers: [] },
        ]);
        const id = hidden?.id as string;
        for (const state of ["there", "gone"]) {
          for (const refused of [
            () => read(id),
            () => remove(id),
            () => restore(id),
            () => send(sessions.demo, path(id), "PATCH", { Name: "x" }),
            () => send(sessions.demo, `/v1/lock/object/${id}`, "POST"),
          ]) {
            expect(await refused()).toMatchObject({ status: 404, code: "304" });
          }
          if (state === "there") expect(await recycle(id, sessions.admin)).toMatchObject({ code: "0" });
        }
        expect(await restore(id, sessions.admin)).toMatchObject({ code: "0" });
      });

      test("clears references to a deleted object, refuses where one is required, and cascades to dependents", async () => {
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
          expect(await remove(sponsor, { query, as: sessions.admin })).toMatchObject({ status: 500, code: "718" });
        expect(await remove(ada)).toMatchObject({ status: 403, code: "404" });

        expect(await recycle(club)).toMatchObject({ code: "0" });
        for (const id of [ada, bob]) expect(await read(id)).toMatchObject({ code: "609" });
        expect((await read(other)).body.data).toMatchObject({ Chair: null, Guests: { "~Count": 1 } });
        expect(await restore(ada)).toMatchObject({ status: 403, code: "404" });
        expect(await restore(ada, sessions.admin)).toMatchObject({ code: "0", headers: { etag: '"3"' } });
        expect((await read(other)).body.data).toMatchObject({ Chair: { "~ObjectID": ada }, Guests: { "~Count": 3 } });

        expect(await remove(club)).toMatchObject({ code: "0" });
        expect(await read(other)).toMatchObject({
          headers: { etag: '"2"' },
          body: { data: { Chair: null, Guests: { "~Elements": [{ "~ObjectID": sponsor }] } } },
        });
        expect(await read(owned?.id as string, sessions.admin)).toMatchObject({ code: "609" });
        expect(await remove(sponsor, { as: sessions.admin })).toMatchObject({ code: "0" });
      });

      test("refuses to delete an object locked by another session, and releases the lock of a deleted object", async () => {
        const [id, invoice] = [await create("Customer", { Name: "Ada" }), await create("Invoice", { Number: "1" })];
        await send(sessions.demo, path(invoice), "PATCH", { Customer: id });
        const other = await openSession(server(), mode, "demo");
        await send(other, `/v1/lock/object/${id}`, "POST");
        for (const as of [sessions.demo, sessions.admin])
          expect(await remove(id, { as })).toMatchObject({ status: 500, code: "718" });
        await send(other, `/v1/lock/object/${id}`, "DELETE");
        await send(other, `/v1/lock/object/${invoice}`, "POST");
        expect(await remove(id)).toMatchObject({ status: 500, code: "718" });
        await send(other, `/v1/lock/object/${id}`, "POST");
        expect(await remove(id, { query: "?moveToRecycler=true", as: other })).toMatchObject({ code: "0" });
        expect(await restore(id)).toMatchObject({ code: "0" });
        expect((await send(sessions.demo, `/v1/lock/object/${id}`)).body.data.isLocked).toBe(false);
      });
    });
  },
  { environment: objectEnvironment },
);
