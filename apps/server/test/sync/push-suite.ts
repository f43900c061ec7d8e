import type { RunningServer } from "../../src/index.ts";
import { testedModes } from "../modes.ts";
import { syncPushFixture } from "./push-fixture.ts";

/** Settings of the server. */
export const syncPushEnvironment = { DEBUG_MESSAGES: "true" };

/** Writes of synchronized objects: codes, merges, and pushes of many operations. */
export function syncPushSuite(server: () => RunningServer): void {
  describe.each(testedModes)("in mode %s", (mode) => {
    const fixture = syncPushFixture(server, mode);
    const { task, locked, sessions, send, path, put, remove, push, pushed, create, stored, change } = fixture;
    const { hide, operation, deletion, schemaOf } = fixture;

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
        ["a version that is no integer", "pulled", { ...all, syncVersion: "1.5" }, 330],
        ["unknown members", "pulled", { ...all, syncVersion: "1" }, 332],
        ["a schema that can only be pulled", "pulled", { uuid: unknown, syncVersion: "1", fields: {} }, 332],
        ["different UUIDs", "client", { uuid: unknown, syncVersion: "1", fields: { No: 1 } }, 336],
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
      expect(await put("no-uuid", { syncVersion: "1", fields: {} })).toMatchObject({ code: "332" });
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
      const { "~UUID": uuid } = (await send(sessions.admin, `/v1/object/${locked}`, "POST", { Title: "a" })).body.data;
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
      expect(await put(outside, { syncVersion: "1", fields: { Count: 1 } }, { schema })).toMatchObject({ code: "334" });
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
      expect(await stored(uuid)).toMatchObject({ version: 3, attributes: { Title: "mine", Count, Due: "2026-02-02" } });
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
      const ops = [operation({ Title: "up" })];
      const { code, body } = await push(ops, { schema: "up" });
      expect({ code, ...body.data }).toMatchObject({
        code: "0",
        results: [{ internalStatus: 0, version: 1 }],
        changed: [],
        deleted: [],
        excluded: [],
        hasMore: false,
        syncVersion: "0",
      });
      const again = await push(ops, { schema: "up" });
      expect(again.body.data).toMatchObject({ results: [{ internalStatus: 0 }], changed: [], syncVersion: "0" });
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
      expect(await put(uuid, { syncVersion: "1", fields: { Title: "a" } })).toMatchObject({ status: 500, code: "713" });
      expect(await remove(uuid)).toMatchObject({ status: 500, code: "718" });
      const id2 = crypto.randomUUID();
      const ops = [
        operation({ Title: "a" }, { uuid, syncVersion: "1" }),
        deletion(uuid, { uuid: id2 }),
        operation({ Title: "good" }),
      ];
      expect(await pushed(ops)).toMatchObject([
        { internalStatus: 713 },
        { internalStatus: 334 },
        { internalStatus: 0 },
      ]);
      await send(sessions.two, `/v1/lock/object/${id}`, "DELETE");
      // A failure of the server is not final.
      expect(await pushed(ops)).toMatchObject([
        { internalStatus: 0, version: 2 },
        { internalStatus: 334 },
        { internalStatus: 0, version: 1 },
      ]);
    });

    test("a push has a result for each operation, and a bad one blocks no other", async () => {
      const gone = await create({ Title: "gone" });
      await remove(gone);
      const kept = await create({ Title: "kept" });
      const first = operation({ Title: "first" });
      const ops = [
        first,
        operation({ Title: "second", Next: { "~UUID": first.uuid } }),
        operation({ Title: "bad", Next: { "~UUID": crypto.randomUUID() } }),
        operation({ Title: 5 }),
        operation({ Count: 5 }),
        operation({ Title: "a", Nothing: 1 }),
        operation({ Title: "a" }, { className: locked }),
        operation({ Title: "a" }, { syncVersion: 0 }),
        operation({ Title: "a" }, { op: "other" }),
        operation({ Title: "a" }, { uuid: gone, syncVersion: "1" }),
        operation({ Title: "a" }, { syncVersion: "7" }),
        deletion(kept),
        deletion(crypto.randomUUID()),
        operation({ Title: "last" }),
      ];
      const results = await pushed(ops);
      const codes = results.map(({ internalStatus }) => internalStatus);
      expect(codes).toEqual([0, 0, 307, 307, 307, 332, 404, 330, 332, 610, 334, 0, 334, 0]);
      expect(results.map(({ id, uuid }) => ({ id, uuid }))).toEqual(ops.map(({ id, uuid }) => ({ id, uuid })));
      expect(results[0]).toMatchObject({ internalMessage: "ok", version: 1, merged: [], conflicts: [] });
      expect(results[11]).toMatchObject({ version: 2 });
      expect(await stored(kept)).toBeUndefined();
      const next = (await stored(first.uuid))?.id;
      expect(await stored(ops[1]?.uuid ?? "")).toMatchObject({ attributes: { Title: "second", Next: next } });
    });

    test("a repeated operation has its result again and no further effect", async () => {
      const uuid = await create({ Title: "base", Count: 1 });
      await change(uuid, { Count: 2 });
      const removed = await create({ Title: "removed" });
      const ops = [
        operation({ Title: "new" }),
        operation({ Count: 3 }, { uuid, syncVersion: "1", base: { Count: 1 } }),
        operation({ Title: 5 }),
        deletion(removed),
      ];
      const before = await pushed(ops);
      await change(uuid, { Count: 4 });
      const after = await pushed(ops.toReversed());
      const withoutObjects = before.map(({ object: _object, ...result }) => result);
      expect(after.toReversed()).toEqual(withoutObjects);
      expect(await stored(uuid)).toMatchObject({ version: 4, attributes: { Count: 4 } });
      const [other] = await pushed([operation({ Title: "other" }, { id: ops[0]?.id ?? "" })]);
      expect(other).toMatchObject({ internalStatus: 332 });
      // The ids are of the device.
      const [ofDevice] = await pushed([operation({ Title: "other" }, { id: ops[0]?.id ?? "" })], { as: sessions.two });
      expect(ofDevice).toMatchObject({ internalStatus: 0 });
      // The answer does not repeat values that the user cannot read any more.
      await hide(uuid);
      const [, hidden] = await pushed(ops);
      expect(hidden.conflicts).toEqual([{ field: "Count", kept: "mine" }]);
    });

    test("operations sent twice at once have one effect and the same answer", async () => {
      const uuids = await Promise.all(Array.from({ length: 3 }, () => create({ Title: "base", Count: 1 })));
      const ops = [
        ...Array.from({ length: 5 }, (_, index) => operation({ Title: `new ${index}` })),
        ...uuids.map((uuid) => operation({ Count: 2 }, { uuid, syncVersion: "1" })),
      ];
      const answers = await Promise.all([pushed(ops), pushed(ops), pushed(ops.toReversed()), pushed(ops.slice(2))]);
      const [one, two, three, four] = answers.map((results) => results.map(({ object: _object, ...result }) => result));
      expect(one?.map(({ internalStatus }) => internalStatus)).toEqual(ops.map(() => 0));
      expect(two).toEqual(one);
      expect(three?.toReversed()).toEqual(one);
      expect(four).toEqual(one?.slice(2));
      for (const { uuid } of ops.slice(0, 5)) expect(await stored(uuid)).toMatchObject({ version: 1 });
      for (const uuid of uuids) expect(await stored(uuid)).toMatchObject({ version: 2 });
    });

    test("an atomic push has all its effects or none", async () => {
      const uuid = await create({ Title: "base" });
      const ops = [operation({ Title: "a" }), operation({ Title: "b" }), deletion(uuid), operation({ Title: 5 })];
      const answer = await push(ops, { atomic: true });
      expect(answer).toMatchObject({ status: 400, code: "307" });
      expect(answer.body.status.debugMessage).toMatch(/^at \/ops\/3: /);
      expect(await stored(ops[0]?.uuid ?? "")).toBeUndefined();
      expect(await stored(uuid)).toBeDefined();
      const results = await pushed(ops.slice(0, 3), { atomic: true });
      expect(results.map(({ internalStatus }) => internalStatus)).toEqual([0, 0, 0]);
      expect(await pushed(ops.slice(0, 3), { atomic: true })).toEqual(results);
      expect(await push(ops, { atomic: true })).toMatchObject({ code: "307" });
    });

    test("refuses a malformed push as a whole", async () => {
      const good = operation({ Title: "a" });
      const many = Array.from({ length: 1_001 }, () => operation({ Title: "a" }));
      const rows: [Readonly<Record<string, unknown>>, number][] = [
        [{ syncVersion: undefined }, 338],
        [{ syncVersion: 0 }, 330],
        [{ query: 1 }, 329],
        [{ ops: 1 }, 332],
        [{ ops: [1] }, 332],
        [{ ops: [{ ...good, id: undefined }] }, 332],
        [{ ops: [{ ...good, id: "" }] }, 332],
        [{ ops: [good, { ...good, id: "other" }] }, 332],
        [{ ops: [good, operation({ Title: "b" }, { id: good.id })] }, 332],
        [{ ops: many }, 332],
        [{ atomic: 1 }, 332],
        [{ more: 1 }, 332],
      ];
      for (const [more, code] of rows)
        expect({ more: Object.keys(more), code: (await push([good], more)).code }).toEqual({
          more: Object.keys(more),
          code: String(code),
        });
      expect(await push([good], { schema: "pulled" })).toMatchObject({ code: "332" });
      expect(await push([good], { schema: "nothing" })).toMatchObject({ code: "333" });
      const big = operation({ Title: "x".repeat(700_000) });
      const large = Array.from({ length: 10 }, () => ({ ...big, id: crypto.randomUUID(), uuid: crypto.randomUUID() }));
      expect((await pushed(large)).map(({ internalStatus }) => internalStatus)).toEqual(large.map(() => 0));
      const tooLarge = [...large, ...large].map((each) => ({ ...each, id: crypto.randomUUID() }));
      expect(await push(tooLarge)).toMatchObject({ status: 413, code: "801" });
      expect(await stored(good.uuid)).toBeUndefined();
      const items = [{ method: "POST", path: `/v1/sync/${schemaOf("client")}/push`, data: {} }];
      const { body } = await send(sessions.one, "/v1/multi", "POST", items as never);
      expect(body.data[0].result.status.internalStatus).toBe("307");
    });

    test("a push returns the changes since the version of the client, without its own", async () => {
      const first = await push([operation({ Title: "in before" })], { schema: "filtered" });
      const { syncVersion } = first.body.data;
      expect(first.body.data).toMatchObject({ hasMore: false, excluded: [], deleted: [] });
      const [moved, removed, gone, behind] = [
        await create({ Title: "in moved" }),
        await create({ Title: "in removed" }),
        await create({ Title: "in gone" }),
        await create({ Title: "in behind", Count: 1 }),
      ];
      await change(behind, { Count: 2 });
      await remove(gone);
      const ops = [
        operation({ Title: "in own" }),
        operation({ Title: "out of the filter" }, { uuid: moved, syncVersion: "1" }),
        deletion(removed),
        operation({ Title: "in behind, too" }, { uuid: behind, syncVersion: "1", base: { Title: "in behind" } }),
        operation({ Title: "out at once" }),
      ];
      const second = (await push(ops, { schema: "filtered", syncVersion })).body.data;
      expect(second.results.map((each: { object?: object }) => each.object)).toMatchObject([
        undefined,
        undefined,
        undefined,
        { "~UUID": behind, "~Version": 3, Title: "in behind, too", Count: 2 },
        undefined,
      ]);
      expect(second).toMatchObject({ changed: [], hasMore: false, deleted: [{ uuid: gone, version: 2 }] });
      expect(second.excluded.toSorted()).toEqual([moved, ops[4]?.uuid].toSorted());
      const empty = (await push([], { schema: "filtered", syncVersion: second.syncVersion })).body.data;
      expect(empty).toMatchObject({ results: [], changed: [], deleted: [], excluded: [] });
      // The answer is lost: the repetition has all changes.
      const again = (await push(ops, { schema: "filtered", syncVersion })).body.data;
      expect(again.changed.map((each: { "~UUID": string }) => each["~UUID"]).toSorted()).toEqual(
        [ops[0]?.uuid, behind].toSorted(),
      );
      expect(again.deleted).toHaveLength(2);
      // Even a client that starts over, and whose objects were deleted and have left the filter since.
      await remove(behind);
      await change(ops[0]?.uuid ?? "", { Title: "out" });
      const fromStart = (await push(ops, { schema: "filtered" })).body.data;
      expect(fromStart.deleted.map((each: { uuid: string }) => each.uuid).toSorted()).toEqual(
        [behind, removed].toSorted(),
      );
      expect(fromStart.excluded.toSorted()).toEqual([ops[0]?.uuid, moved, ops[4]?.uuid].toSorted());
      const ownOutside = operation({ Title: "out, at once" });
      expect((await push([ownOutside], { schema: "filtered" })).body.data.excluded).toEqual([ownOutside.uuid]);
      const foreign = await push([], { schema: "client", syncVersion });
      expect(foreign).toMatchObject({ code: "330", headers: { "sync-restart": "1" } });
    });

    test("executes 1,000 operations", async () => {
      const ops = Array.from({ length: 1_000 }, (_, index) => operation({ Title: `many ${index}`, Count: index }));
      const results = await pushed(ops);
      expect(results.filter(({ internalStatus, version }) => internalStatus === 0 && version === 1)).toHaveLength(
        1_000,
      );
      const changes = ops.map(({ uuid }, index) =>
        operation({ Count: index === 500 ? "bad" : -index }, { uuid, syncVersion: "1", base: { Count: index } }),
      );
      const changed = await pushed(changes);
      expect(changed.filter(({ internalStatus }) => internalStatus === 0)).toHaveLength(999);
      expect(changed[500]).toMatchObject({ internalStatus: 307 });
      expect(await stored(ops[499]?.uuid ?? "")).toMatchObject({ version: 2, attributes: { Count: -499 } });
    });
  });
}
