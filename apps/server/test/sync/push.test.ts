import { testedModes } from "../modes.ts";
import { syncPushFixture, syncPushEnvironment } from "./push-fixture.ts";
import { onEngines } from "../engines.ts";

const nil = "00000000-0000-0000-0000-000000000000";

/** Writes of synchronized objects: codes, merges, and pushes of many changes. */
onEngines(
  "pushes",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const fixture = syncPushFixture(server, mode);
      const { task, locked, sessions, send, path, put, remove, push, pushed, create, stored, change } = fixture;
      const { hide, sentPut, deletion } = fixture;

      test("creates, changes and deletes an object", async () => {
        const uuid = crypto.randomUUID();
        const created = await put(uuid.toUpperCase(), {
          uuid,
          syncVersion: "0",
          className: task,
          fields: { Title: "new", Count: 1 },
        });
        const { id } = (await stored(uuid)) ?? {};
        expect(created.body.data).toEqual({ uuid, objectId: id, version: 1, merged: [], conflicts: [] });
        const changed = await put(uuid, { syncVersion: "1", fields: { Count: 2 }, base: { Count: 1 } });
        expect(changed.body.data).toEqual({ uuid, objectId: id, version: 2, merged: [], conflicts: [] });
        expect(await stored(uuid)).toMatchObject({ version: 2, attributes: { Title: "new", Count: 2 } });
        const repeated = await send(sessions.one, path("client", uuid), "PATCH", {
          syncVersion: "1",
          fields: { Count: 2 },
          base: { Count: 1 },
        });
        expect(repeated.body.data).toMatchObject({ version: 2, merged: ["Count"], conflicts: [] });
        expect((await remove(uuid, { syncVersion: "1" })).body.data).toEqual({ uuid, version: 3 });
        expect(await remove(uuid, { syncVersion: "2" })).toMatchObject({ status: 410, code: "609" });
        expect(await put(uuid, { syncVersion: "2", fields: {} })).toMatchObject({ status: 400, code: "610" });
        expect(await put(uuid, { syncVersion: "0", className: task, fields: { Title: "x" } })).toMatchObject({
          code: "610",
        });
      });

      test("checks in the documented order", async () => {
        const uuid = await create({ Title: "ordered" });
        const unknown = crypto.randomUUID();
        const all = { uuid: unknown, syncVersion: 1, fields: 1, more: 1 };
        const rows: [string, string, object, number][] = [
          ["an unknown schema", "nothing", all, 333],
          ["an absent version", "pulled", { ...all, syncVersion: undefined }, 338],
          ["a version that is a number", "pulled", all, 330],
          ["a version that is not an integer", "pulled", { ...all, syncVersion: "1.5" }, 330],
          ["unknown members", "pulled", { ...all, syncVersion: "1" }, 332],
          ["a schema that can only be pulled", "pulled", { uuid: unknown, syncVersion: "1", fields: {} }, 332],
          [
            "different UUIDs and an unknown field",
            "client",
            { uuid: unknown, syncVersion: "1", fields: { No: 1 } },
            332,
          ],
          ["different UUIDs", "client", { uuid: unknown, syncVersion: "1", fields: {} }, 336],
          ["an unknown field", "client", { uuid, syncVersion: "1", fields: { No: 1 } }, 332],
          ["a field that is not in the schema", "client", { uuid, syncVersion: "1", fields: { Unused: "a" } }, 332],
          ["a field that the user cannot read", "client", { uuid, syncVersion: "1", fields: { Hidden: "a" } }, 332],
          ["a meta-field", "client", { uuid, syncVersion: "1", fields: { "~StoreTime": "a" } }, 332],
          ["an invalid value", "client", { uuid, syncVersion: "1", fields: { Count: "a" } }, 307],
        ];
        for (const [title, schema, body, code] of rows) {
          const answer = await put(uuid, body, { schema });
          expect({ title, code: answer.code }).toEqual({ title, code: String(code) });
        }
        expect(await put(unknown, { syncVersion: "1", fields: {} })).toMatchObject({ status: 400, code: "334" });
        expect(await remove(unknown)).toMatchObject({ status: 400, code: "334" });
        for (const odd of ["no-uuid", nil])
          expect(await put(odd, { syncVersion: "0", className: task, fields: { Title: "a" } })).toMatchObject({
            code: "332",
          });
        expect(await remove(nil)).toMatchObject({ code: "332" });
        const [good, ofNil] = [sentPut({ Title: "a" }), sentPut({ Title: "a" }, { uuid: nil })];
        expect(await pushed([ofNil, good])).toMatchObject([{ internalStatus: "332" }, { internalStatus: "0" }]);
        expect(await pushed([sentPut({ Title: "a", Next: { "~UUID": nil } })])).toMatchObject([
          { internalStatus: "307" },
        ]);
        expect(await put(unknown, { syncVersion: "0", fields: { Title: "a" } })).toMatchObject({ code: "332" });
        expect(await put(unknown, { syncVersion: "0", className: "Customer", fields: {} })).toMatchObject({
          code: "332",
        });
        expect(await put(unknown, { syncVersion: "0", className: locked, fields: { Title: "a" } })).toMatchObject({
          status: 403,
          code: "404",
        });
        expect(await put(unknown, { syncVersion: "0", className: task, fields: { Count: 1 } })).toMatchObject({
          code: "307",
        });
        expect(await stored(uuid)).toMatchObject({ version: 1 });
      });

      test("writes only what the user may see and write", async () => {
        const { "~UUID": uuid } = (await send(sessions.admin, `/v1/object/${locked}`, "POST", { Title: "a" })).body
          .data;
        expect(await put(uuid, { syncVersion: "1", fields: { Title: "b" } })).toMatchObject({ code: "404" });
        expect(await remove(uuid)).toMatchObject({ code: "404" });
        const hidden = await create({ Title: "hidden" });
        await hide(hidden);
        for (const syncVersion of ["0", "1"])
          expect(await put(hidden, { syncVersion, className: task, fields: { Title: "b" } })).toMatchObject({
            code: "334",
          });
        expect(await remove(hidden)).toMatchObject({ code: "334" });
        const outside = await create({ Title: "out" });
        const inside = await create({ Title: "in" });
        const schema = "filtered";
        expect(await put(outside, { syncVersion: "1", fields: { Count: 1 } }, { schema })).toMatchObject({
          code: "334",
        });
        expect(await put(inside, { syncVersion: "1", fields: { Title: "out" } }, { schema })).toMatchObject({
          code: "0",
        });
        expect(await remove(inside, { syncVersion: "1" }, { schema })).toMatchObject({ code: "334" });
      });

      test.each(["client", "server", "reject", "macro"])("merges by the policy %s", async (schema) => {
        const uuid = await create({ Title: "base", Count: 1, Due: "2026-01-01" });
        await change(uuid, { Title: "theirs", Count: 5 });
        const body = {
          syncVersion: "1",
          fields: { Title: "mine", Count: 3, Due: "2026-02-02" },
          base: { Title: "theirs", Count: 1, Due: "2026-01-01" },
        };
        const { status, code, body: answer } = await put(uuid, body, { schema });
        const expected = {
          client: { Count: 3, kept: "mine" },
          server: { Count: 5, kept: "theirs" },
          macro: { Count: 7, kept: "macro" },
        }[schema];
        if (expected === undefined) {
          expect({ status, code }).toEqual({ status: 400, code: "332" });
          expect(await stored(uuid)).toMatchObject({ version: 2, attributes: { Title: "theirs", Count: 5 } });
          return;
        }
        const { Count, kept } = expected;
        expect(answer.data).toMatchObject({
          version: 3,
          merged: ["Count"],
          conflicts: [{ field: "Count", theirs: 5, kept }],
          object: { "~UUID": uuid, "~Version": 3, Title: "mine", Count, Due: "2026-02-02" },
        });
        expect(answer.data.object).not.toHaveProperty("Unused");
        expect(await stored(uuid)).toMatchObject({
          version: 3,
          attributes: { Title: "mine", Count, Due: "2026-02-02" },
        });
      });

      test("without a base, each field of a client that is behind is a conflict", async () => {
        const uuid = await create({ Title: "base", Count: 1 });
        await change(uuid, { Due: "2026-03-03" });
        const answer = await put(uuid, { syncVersion: "1", fields: { Title: "mine", Count: 1 } }, { schema: "server" });
        expect(answer.body.data).toMatchObject({
          version: 2,
          merged: ["Title"],
          conflicts: [{ field: "Title", theirs: "base", kept: "theirs" }],
          object: { Title: "base", Due: "2026-03-03" },
        });
        const current = await put(uuid, { syncVersion: "2", fields: { Title: "mine" } }, { schema: "server" });
        expect(current.body.data).toMatchObject({ version: 3, merged: [], conflicts: [] });
      });

      test("compares values as they are stored, and links by their visible targets", async () => {
        const [one, two] = [await create({ Title: "one" }), await create({ Title: "two" })];
        const uuid = crypto.randomUUID();
        const fields = {
          Title: "linked",
          Due: "2026-01-31T10:30:00+01:00",
          More: { b: [1.0], a: -0 },
          Next: { "~UUID": one },
          Parts: [{ "~UUID": one }, { "~UUID": two }],
        };
        const created = await put(uuid, { syncVersion: "0", className: task, fields });
        // The time is stored in another form than it was sent.
        expect(created.body.data.object).toMatchObject({ Due: "2026-01-31T09:30:00.000Z", Next: { "~UUID": one } });
        await change(uuid, { Count: 1 });
        const again = { syncVersion: "1", fields: { ...fields, More: { a: 0, b: [1] } } };
        expect((await put(uuid, again, { schema: "reject" })).body.data).toMatchObject({ version: 2, conflicts: [] });
        await hide(two);
        const seen = { syncVersion: "1", fields: { Parts: [{ "~UUID": one }] } };
        expect((await put(uuid, seen, { schema: "reject" })).body.data).toMatchObject({ version: 2, conflicts: [] });
        const moved = await put(
          uuid,
          { syncVersion: "1", fields: { Next: null }, base: { Next: null } },
          { schema: "server" },
        );
        expect(moved.body.data).toMatchObject({
          version: 2,
          conflicts: [{ field: "Next", theirs: { "~UUID": one }, kept: "theirs" }],
          object: { Next: { "~UUID": one }, Parts: [{ "~UUID": one }] },
        });
        // The invisible member stays.
        const cut = await put(uuid, { syncVersion: "2", fields: { Parts: null } });
        expect(cut.code).toBe("0");
        expect((await stored(uuid))?.attributes["Parts"]).toHaveLength(1);
      });

      test("a push to a schema for pushes only returns no objects", async () => {
        const ops = [sentPut({ Title: "up" })];
        const { code, body } = await push(ops, { schema: "up" });
        expect({ code, ...body.data }).toMatchObject({
          code: "0",
          results: [{ internalStatus: "0", version: 1 }],
          changed: [],
          deleted: [],
          excluded: [],
          hasMore: false,
          syncVersion: "0",
        });
        const again = await push(ops, { schema: "up" });
        expect(again.body.data).toMatchObject({ results: [{ internalStatus: "0" }], changed: [], syncVersion: "0" });
      });

      test("checks of the schema precede those of the body", async () => {
        for (const method of ["PUT", "DELETE"] as const)
          expect(await send(sessions.one, path("absent", "x"), method, [])).toMatchObject({ code: "333" });
        expect(await send(sessions.one, "/v1/sync/absent/push", "POST", [])).toMatchObject({ code: "333" });
        const sent = await send(sessions.one, path("client", crypto.randomUUID()), "PUT", []);
        expect(sent).toMatchObject({ code: "332" });
      });

      test("a macro can refuse, and its result is checked", async () => {
        for (const [Title, code] of [
          ["refused", "307"],
          ["wrong", "710"],
          ["denied", "710"],
          ["theirs", "0"],
        ]) {
          const uuid = await create({ Title: "base", Count: 1 });
          await change(uuid, { Title: "changed" });
          const sent = { syncVersion: "1", fields: { Title }, base: { Title: "base" } };
          const answer = await put(uuid, sent, { schema: "macro" });
          expect({ Title, code: answer.code }).toEqual({ Title, code });
          expect(await stored(uuid)).toMatchObject({ version: 2, attributes: { Title: "changed" } });
          if (code === "0") expect(answer.body.data.conflicts).toMatchObject([{ field: "Title", kept: "theirs" }]);
        }
      });

      test("respects locks of other sessions", async () => {
        const uuid = await create({ Title: "locked" });
        const { "~ObjectID": id } = (await send(sessions.two, `/v1/object/${uuid}`)).body.data;
        await send(sessions.two, `/v1/lock/object/${id}`, "POST");
        expect(await put(uuid, { syncVersion: "1", fields: { Title: "a" } })).toMatchObject({
          status: 500,
          code: "713",
        });
        expect(await remove(uuid)).toMatchObject({ status: 500, code: "718" });
        const id2 = crypto.randomUUID();
        const ops = [
          sentPut({ Title: "a" }, { uuid, syncVersion: "1" }),
          deletion(uuid, { uuid: id2 }),
          sentPut({ Title: "good" }),
        ];
        expect(await pushed(ops)).toMatchObject([
          { internalStatus: "713" },
          { internalStatus: "334" },
          { internalStatus: "0" },
        ]);
        await send(sessions.two, `/v1/lock/object/${id}`, "DELETE");
        // A failure of the server is not final.
        expect(await pushed(ops)).toMatchObject([
          { internalStatus: "0", version: 2 },
          { internalStatus: "334" },
          { internalStatus: "0", version: 1 },
        ]);
      });
    });
  },
  { environment: syncPushEnvironment },
);
