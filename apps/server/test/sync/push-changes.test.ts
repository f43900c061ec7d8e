import { syncPushFixture, syncPushEnvironment } from "./push-fixture.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";

/** Pushes of many changes. */
onEngines(
  "pushes of many changes",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const fixture = syncPushFixture(server, mode);
      const { task, locked, sessions, send, put, remove, push, pushed, create, stored, change } = fixture;
      const { hide, sentPut, deletion, schemaOf, putSchema, withRights } = fixture;

      test("a push has a result for each change, and a bad one blocks no other", async () => {
        const gone = await create({ Title: "gone" });
        await remove(gone);
        const kept = await create({ Title: "kept" });
        const first = sentPut({ Title: "first" });
        const ops = [
          first,
          sentPut({ Title: "second", Next: { "~UUID": first.uuid } }),
          sentPut({ Title: "bad", Next: { "~UUID": crypto.randomUUID() } }),
          sentPut({ Title: 5 }),
          sentPut({ Count: 5 }),
          sentPut({ Title: "a", Nothing: 1 }),
          sentPut({ Title: "a" }, { className: locked }),
          sentPut({ Title: "a" }, { syncVersion: 0 }),
          sentPut({ Title: "a" }, { op: "other" }),
          sentPut({ Title: "a" }, { uuid: gone, syncVersion: "1" }),
          sentPut({ Title: "a" }, { syncVersion: "7" }),
          deletion(kept),
          deletion(crypto.randomUUID()),
          sentPut({ Title: "last" }),
        ];
        const results = await pushed(ops);
        const codes = results.map(({ internalStatus }) => Number(internalStatus));
        expect(codes).toEqual([0, 0, 307, 307, 307, 332, 404, 330, 332, 610, 334, 0, 334, 0]);
        expect(results.map(({ id, uuid }) => ({ id, uuid }))).toEqual(ops.map(({ id, uuid }) => ({ id, uuid })));
        expect(results[0]).toMatchObject({
          internalStatus: "0",
          statusMessage: "ok",
          version: 1,
          merged: [],
          conflicts: [],
        });
        expect(results[11]).toMatchObject({ version: 2 });
        expect(await stored(kept)).toBeUndefined();
        const next = (await stored(first.uuid))?.id;
        expect(await stored(ops[1]?.uuid ?? "")).toMatchObject({ attributes: { Title: "second", Next: next } });
      });

      test("a repeated change has its result again and no further effect", async () => {
        const uuid = await create({ Title: "base", Count: 1 });
        await change(uuid, { Count: 2 });
        const removed = await create({ Title: "removed" });
        const ops = [
          sentPut({ Title: "new" }),
          sentPut({ Count: 3 }, { uuid, syncVersion: "1", base: { Count: 1 } }),
          sentPut({ Title: 5 }),
          deletion(removed),
        ];
        const before = await pushed(ops);
        await change(uuid, { Count: 4 });
        const after = await pushed(ops.toReversed());
        const withoutObjects = before.map(({ object: _object, ...result }) => result);
        expect(after.toReversed()).toEqual(withoutObjects);
        expect(await stored(uuid)).toMatchObject({ version: 4, attributes: { Count: 4 } });
        const [other] = await pushed([sentPut({ Title: "other" }, { id: ops[0]?.id ?? "" })]);
        expect(other).toMatchObject({ internalStatus: "332" });
        // The ids are of the device.
        const [ofDevice] = await pushed([sentPut({ Title: "other" }, { id: ops[0]?.id ?? "" })], {
          as: sessions.two,
        });
        expect(ofDevice).toMatchObject({ internalStatus: "0" });
        // The answer does not repeat values that the user cannot read any more.
        await hide(uuid);
        const [, hidden] = await pushed(ops);
        expect(hidden.conflicts).toEqual([{ field: "Count", kept: "mine" }]);
      });

      test("changes sent twice at once have one effect and the same answer", async () => {
        const uuids = await Promise.all(Array.from({ length: 3 }, () => create({ Title: "base", Count: 1 })));
        const ops = [
          ...Array.from({ length: 5 }, (_, index) => sentPut({ Title: `new ${index}` })),
          ...uuids.map((uuid) => sentPut({ Count: 2 }, { uuid, syncVersion: "1" })),
        ];
        const answers = await Promise.all([pushed(ops), pushed(ops), pushed(ops.toReversed()), pushed(ops.slice(2))]);
        const [one, two, three, four] = answers.map((results) =>
          results.map(({ object: _object, ...result }) => result),
        );
        expect(one?.map(({ internalStatus }) => Number(internalStatus))).toEqual(ops.map(() => 0));
        expect(two).toEqual(one);
        expect(three?.toReversed()).toEqual(one);
        expect(four).toEqual(one?.slice(2));
        for (const { uuid } of ops.slice(0, 5)) expect(await stored(uuid)).toMatchObject({ version: 1 });
        for (const uuid of uuids) expect(await stored(uuid)).toMatchObject({ version: 2 });
      });

      test("a repetition has its stored result although its field, its class or its right is gone", async () => {
        const schema = "narrowing";
        const store = (classes: readonly object[]) => putSchema(schema, classes);
        await store([{ className: task, fields: ["Title", "Count"] }, { className: locked }]);
        const removed = await create({ Title: "removed" });
        const ops = [sentPut({ Title: "a", Count: 1 }), sentPut({ Title: "b" }), deletion(removed)];
        const before = await pushed(ops, { schema });
        expect(before.map(({ internalStatus }) => Number(internalStatus))).toEqual([0, 0, 0]);
        await store([{ className: task, fields: ["Title"] }, { className: locked }]);
        expect(await pushed(ops, { schema })).toEqual(before);
        expect(await pushed(ops, { schema, atomic: true })).toEqual(before);
        await store([{ className: locked }]);
        expect(await pushed(ops, { schema })).toEqual(before);
        await store([{ className: task }, { className: locked }]);
        const { rights } = await withRights(task, [{ group: "*", permissions: ["read"] }]);
        expect(await pushed(ops, { schema })).toEqual(before);
        expect(await pushed([sentPut({ Title: "c" })], { schema })).toMatchObject([{ internalStatus: "404" }]);
        await withRights(task, rights);
      });

      test("a refusal is final, and stays when its reason is gone", async () => {
        const schema = "widening";
        await putSchema(schema, [{ className: task, fields: ["Title"] }]);
        const ops = [
          sentPut({ Title: "a", Count: 1 }),
          sentPut({ Title: "b" }, { className: locked }),
          sentPut({ Title: "c" }, { op: "other" }),
        ];
        const refused = await pushed(ops, { schema });
        expect(refused.map(({ internalStatus }) => Number(internalStatus))).toEqual([332, 332, 332]);
        await putSchema(schema, [{ className: task }, { className: locked }]);
        expect(await pushed(ops, { schema })).toEqual(refused);
        for (const { uuid } of ops) expect(await stored(uuid)).toBeUndefined();
      });

      test("a value is as deep as in the creation of an object, and one beyond the limits fails alone", async () => {
        const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
        const [deepest, tooDeep] = [nested(31), nested(32)];
        const post = (More: unknown) => send(sessions.one, `/v1/object/${task}`, "POST", { Title: "a", More });
        expect([(await post(deepest)).code, (await post(tooDeep)).code]).toEqual(["0", "307"]);
        const uuid = await create({ Title: "a", More: deepest });
        const change = { syncVersion: "1", fields: { More: nested(30) }, base: { More: deepest } };
        expect(await put(uuid, change)).toMatchObject({ code: "0", body: { data: { version: 2, conflicts: [] } } });
        expect(await put(uuid, { ...change, base: { More: tooDeep } })).toMatchObject({ code: "307" });
        const large = "x".repeat(900_000);
        const changed = { syncVersion: "2", fields: { Title: large }, base: { Title: large } };
        expect(await put(uuid, changed)).toMatchObject({ code: "0" });

        const ops = [
          sentPut({ Title: "first", More: deepest }),
          sentPut({ Title: "too deep", More: tooDeep }),
          sentPut({ Title: "much too deep", More: nested(1_000) }),
          sentPut({ Title: "too long", More: Array.from({ length: 10_001 }, () => 0) }),
          sentPut({
            Title: "wide",
            More: Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`m${at}`, 0])),
          }),
          sentPut({ Title: "forbidden", More: JSON.parse('{"__proto__":1}') }),
          sentPut({ Title: "x".repeat(1_100_000) }),
          sentPut({ More: nested(29) }, { uuid, syncVersion: "3", base: { More: nested(30) } }),
          sentPut({ Title: "b" }, { uuid: await create({ Title: "c" }), base: { More: tooDeep } }),
          sentPut({ Title: "last" }),
        ];
        const refused = await push(ops, { atomic: true });
        expect(refused).toMatchObject({ status: 400, code: "307" });
        expect(refused.body.status.debugMessage).toMatch(/^at \/ops\/1: at \/fields\/More\/0\/.*levels/);
        const results = await pushed(ops);
        const codes = [0, 307, 307, 307, 307, 307, 801, 0, 307, 0];
        expect(results.map(({ internalStatus }) => Number(internalStatus))).toEqual(codes);
        expect((await pushed(ops)).map(({ internalStatus }) => Number(internalStatus))).toEqual(codes);
        expect(await stored(ops[0]?.uuid ?? "")).toMatchObject({ attributes: { More: deepest } });
      });

      describe("at once", () => {
        const uuids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
        const twice = async <T>(each: readonly string[], send: (uuid: string, index: number) => Promise<T>) =>
          Promise.all(each.flatMap((uuid) => [send(uuid, 0), send(uuid, 1)]));

        test("two creations of one object merge as if one came after the other", async () => {
          const same = uuids(20);
          const fields = { Title: "same", Count: 1 };
          const answers = await twice(same, (uuid) => put(uuid, { syncVersion: "0", className: task, fields }));
          expect(answers.filter(({ code }) => code !== "0")).toEqual([]);
          for (const uuid of same) expect(await stored(uuid)).toMatchObject({ version: 1, attributes: fields });

          const different = uuids(20);
          const merged = await twice(different, (uuid, index) =>
            put(uuid, { syncVersion: "0", className: task, fields: { Title: `title ${index}` } }),
          );
          expect(merged.filter(({ code }) => code !== "0")).toEqual([]);
          const conflicts = merged.flatMap(({ body }) => body.data.conflicts);
          expect(conflicts).toHaveLength(different.length);
          for (const uuid of different) expect(await stored(uuid)).toMatchObject({ version: 2 });
        });

        test("two pushes that create the same objects merge", async () => {
          type Result = { readonly internalStatus: string };
          const resultsOf = async (ops: readonly object[], as = sessions.one): Promise<readonly Result[]> =>
            (await send(as, `/v1/sync/${schemaOf("client")}/push`, "POST", { syncVersion: "0", ops })).body.data
              .results;
          for (let round = 0; round < 2; round += 1) {
            const all = uuids(10);
            const opsOf = (Title: string) => all.map((uuid) => sentPut({ Title, Count: 1 }, { uuid }));
            const results = await Promise.all([resultsOf(opsOf("one")), resultsOf(opsOf("two"), sessions.two)]);
            expect(results.flat().filter(({ internalStatus }) => internalStatus !== "0")).toEqual([]);
            for (const uuid of all) expect(await stored(uuid)).toMatchObject({ version: 2, attributes: { Count: 1 } });
            const single = uuids(4);
            const alone = await twice(single, (uuid, at) => resultsOf([sentPut({ Title: `title ${at}` }, { uuid })]));
            expect(alone.flat().filter(({ internalStatus }) => internalStatus !== "0")).toEqual([]);
          }
        });

        test("a deletion is told as one under a filter, too", async () => {
          const schema = "filtered";
          for (let round = 0; round < 3; round += 1) {
            const all = await Promise.all(uuids(10).map(() => create({ Title: "in" })));
            const answers = await Promise.all(
              all.flatMap((uuid) => [
                remove(uuid, { syncVersion: "1" }, { schema }),
                put(uuid, { syncVersion: "1", fields: { Count: 1 } }, { schema }),
                remove(uuid, { syncVersion: "1" }, { schema, as: sessions.two }),
              ]),
            );
            const codes = all.map((_, index) => answers.slice(3 * index, 3 * index + 3).map(({ code }) => code));
            for (const [one, change, two] of codes) {
              expect([one, two].toSorted()).toEqual(["0", "609"]);
              expect(["0", "610"]).toContain(change);
            }
          }
        });
      });

      test("an atomic push has all its effects or none", async () => {
        const uuid = await create({ Title: "base" });
        const ops = [sentPut({ Title: "a" }), sentPut({ Title: "b" }), deletion(uuid), sentPut({ Title: 5 })];
        const answer = await push(ops, { atomic: true });
        expect(answer).toMatchObject({ status: 400, code: "307" });
        expect(answer.body.status.debugMessage).toMatch(/^at \/ops\/3: /);
        expect(await stored(ops[0]?.uuid ?? "")).toBeUndefined();
        expect(await stored(uuid)).toBeDefined();
        const results = await pushed(ops.slice(0, 3), { atomic: true });
        expect(results.map(({ internalStatus }) => Number(internalStatus))).toEqual([0, 0, 0]);
        expect(await pushed(ops.slice(0, 3), { atomic: true })).toEqual(results);
        expect(await push(ops, { atomic: true })).toMatchObject({ code: "307" });
      });

      test("refuses a malformed push as a whole", async () => {
        const good = sentPut({ Title: "a" });
        const many = Array.from({ length: 1_001 }, () => sentPut({ Title: "a" }));
        const rows: [Readonly<Record<string, unknown>>, number][] = [
          [{ syncVersion: undefined }, 338],
          [{ syncVersion: 0 }, 330],
          [{ query: 1 }, 329],
          [{ ops: 1 }, 332],
          [{ ops: [1] }, 332],
          [{ ops: [{ ...good, id: undefined }] }, 332],
          [{ ops: [{ ...good, id: "" }] }, 332],
          [{ ops: [good, { ...good, id: "other" }] }, 332],
          [{ ops: [good, sentPut({ Title: "b" }, { id: good.id })] }, 332],
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
        const big = sentPut({ Title: "x".repeat(700_000) });
        const large = Array.from({ length: 10 }, () => ({
          ...big,
          id: crypto.randomUUID(),
          uuid: crypto.randomUUID(),
        }));
        expect((await pushed(large)).map(({ internalStatus }) => Number(internalStatus))).toEqual(large.map(() => 0));
        const tooLarge = [...large, ...large].map((each) => ({ ...each, id: crypto.randomUUID() }));
        expect(await push(tooLarge)).toMatchObject({ status: 413, code: "801" });
        expect(await stored(good.uuid)).toBeUndefined();
        const items = [{ method: "POST", path: `/v1/sync/${schemaOf("client")}/push`, data: {} }];
        const { body } = await send(sessions.one, "/v1/multi", "POST", items as never);
        expect(body.data[0].result.status.internalStatus).toBe("307");
      });

      test("a push returns the changes since the version of the client, without its own", async () => {
        const first = await push([sentPut({ Title: "in before" })], { schema: "filtered" });
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
          sentPut({ Title: "in own" }),
          sentPut({ Title: "out of the filter" }, { uuid: moved, syncVersion: "1" }),
          deletion(removed),
          sentPut({ Title: "in behind, too" }, { uuid: behind, syncVersion: "1", base: { Title: "in behind" } }),
          sentPut({ Title: "out at once" }),
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
        const ownOutside = sentPut({ Title: "out, at once" });
        expect((await push([ownOutside], { schema: "filtered" })).body.data.excluded).toEqual([ownOutside.uuid]);
        const foreign = await push([], { schema: "client", syncVersion });
        expect(foreign).toMatchObject({ code: "330", headers: { "sync-restart": "1" } });
      });

      test("executes 1,000 changes", async () => {
        const ops = Array.from({ length: 1_000 }, (_, index) => sentPut({ Title: `many ${index}`, Count: index }));
        const results = await pushed(ops);
        expect(results.filter(({ internalStatus, version }) => internalStatus === "0" && version === 1)).toHaveLength(
          1_000,
        );
        const changes = ops.map(({ uuid }, index) =>
          sentPut({ Count: index === 500 ? "bad" : -index }, { uuid, syncVersion: "1", base: { Count: index } }),
        );
        const changed = await pushed(changes);
        expect(changed.filter(({ internalStatus }) => internalStatus === "0")).toHaveLength(999);
        expect(changed[500]).toMatchObject({ internalStatus: "307" });
        expect(await stored(ops[499]?.uuid ?? "")).toMatchObject({ version: 2, attributes: { Count: -499 } });
      });
    });
  },
  { environment: syncPushEnvironment },
);
