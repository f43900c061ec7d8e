import { seesAll } from "@sallyport/storage";
import { callIn } from "../client.ts";
import { create, get, type Item, large, list, patch, patchAll, remove, multiFixture } from "./multi-fixture.ts";
import { openSession } from "../open-session.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";
import { objectEnvironment } from "./object-environment.ts";

/** Multi requests in one transaction, with concurrent ones. */
onEngines(
  "multi requests in one transaction",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, objects, separately, sendMulti, resultsOf, city, inside, all, made, found } = multiFixture(
        server,
        mode,
      );
      test("executes all items in one transaction, in which later items see earlier writes", async () => {
        const City = city();
        const id = await made({ Name: "Ada", City });
        const before = await all();
        const results = resultsOf(
          await sendMulti([
            create({ Name: "Bob", City }),
            list({ City }),
            { method: "POST", path: `/v1/lock/object/${id}` },
            patch(id, { Name: "Dora" }),
            patchAll({ City }, { Active: true }),
            list({ City, Active: true }),
            { method: "DELETE", path: `/v1/lock/object/${id}` },
            get(`/v1/object/${id}`),
            create({ Name: "Eve", City }),
            { method: "DELETE", path: `/v1/object/${id}?moveToRecycler=true` },
            { method: "POST", path: `/v1/object/${id}/restore` },
          ]),
        );
        expect(results.map(({ httpStatus }) => httpStatus)).toEqual(results.map(() => 200));
        expect(results.map(({ result }) => result)).toMatchObject([
          { Name: "Bob" },
          { "~Count": 2 },
          { isLocked: true },
          { Name: "Dora" },
          { "~Count": 2 },
          { "~Count": 2 },
          { isLocked: false },
          { Name: "Dora", Active: true },
          { Name: "Eve" },
          {},
          { Name: "Dora" },
        ]);
        expect([await inside(City), await all()]).toEqual([3, before + 2]);
      });

      test("rolls back all items of a transaction when one fails, and names that item", async () => {
        const City = city();
        const ids = [await made({ Name: "Ada", City }), await made({ Name: "Bob", City })] as const;
        const full = await made({ Name: large });
        const before = await Promise.all(ids.map(found));
        const count = await all();
        const good = [
          create({ Name: "Carl", City }),
          patch(ids[0], { Name: "Dora" }),
          remove(ids[1]),
          { method: "POST", path: `/v1/lock/object/${ids[0]}` },
        ];
        const failing: readonly (readonly [Item, number, number, string])[] = [
          [patch("ZZZZZZZ", {}), 404, 304, "at /4"],
          [remove(ids[1]), 410, 609, "at /4"],
          [patch(ids[1], { Name: "Eve" }), 400, 610, "at /4"],
          [
            create({ Name: 5 }),
            400,
            307,
            "at /4: at /Name: A string without null characters and unpaired surrogates is expected.",
          ],
          [patch(full, { City: "x".repeat(200_000) }), 413, 801, "at /4"],
        ];
        for (const [bad, status, code, debugMessage] of failing) {
          const answer = await sendMulti([...good, bad, create({ Name: "Never", City })]);
          expect({ status: answer.status, body: answer.body }).toEqual({
            status,
            body: {
              status: {
                internalStatus: String(code),
                statusMessage: expect.any(String),
                debugMessage: expect.stringContaining(debugMessage),
              },
            },
          });
        }
        expect(await Promise.all(ids.map(found))).toEqual(before);
        expect([await inside(City), await all()]).toEqual([2, count]);
        const lock = await callIn(server(), sessions.demo, `/v1/lock/object/${ids[0]}`);
        expect(lock.body.data).toMatchObject({ isLocked: false });
      });

      test("respects locks of other sessions, separately and in a transaction", async () => {
        const City = city();
        const id = await made({ Name: "Ada", City });
        const other = await openSession(server(), mode, "demo");
        expect((await callIn(server(), other, `/v1/lock/object/${id}`, { method: "POST" })).code).toBe("0");
        const items = [create({ Name: "Bob", City }), patch(id, { Name: "Carl" })];
        expect(await sendMulti(items)).toMatchObject({ status: 500, code: "713" });
        expect(await inside(City)).toBe(1);
        expect(resultsOf(await separately(items))).toMatchObject([
          { httpStatus: 200 },
          { httpStatus: 500, result: 713 },
        ]);
        expect(await inside(City)).toBe(2);
        expect(resultsOf(await sendMulti(items, other))).toMatchObject([{}, { result: { Name: "Carl" } }]);
        expect((await callIn(server(), other, "/v1/logout", { method: "POST" })).code).toBe("0");
      });

      test("keeps concurrent transactions complete that change the same objects in different orders", async () => {
        const ids = [await made({ Name: "Ada" }), await made({ Name: "Bob" })];
        const others = Array.from({ length: 6 }, (_, index) => {
          const City = `City ${index}`;
          return sendMulti((index % 2 === 0 ? ids : ids.toReversed()).map((id) => patch(id, { City })));
        });
        const codes = (await Promise.all(others)).map(({ code }) => code);
        // A request that loses three times in a row is answered 706.
        expect(codes.filter((code) => code !== "0" && code !== "706")).toEqual([]);
        expect(codes).toContain("0");
        const [first, second] = await objects().get(ids, seesAll);
        expect(first?.attributes["City"]).toBe(second?.attributes["City"]);
        expect(first?.version).toBe(1 + codes.filter((code) => code === "0").length);
        expect(second?.version).toBe(first?.version);
      });
    });
  },
  { environment: objectEnvironment },
);
