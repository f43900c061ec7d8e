import { callIn, multiResults } from "../client.ts";
import { macroEnvironment, macroFixture } from "../macro-fixture.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import { testedModes } from "../modes.ts";

/** How macros work with objects, in transactions with the rights of the caller. */
onEngines(
  "objects of macros",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, found, execute, steps, create, customers } = macroFixture(server, mode);
      test("keep no writes when they fail, and all of them otherwise", async () => {
        const name = crypto.randomUUID();
        expect(await execute("Throwing", { create: name })).toMatchObject({ code: "710" });
        expect(
          await execute("Steps", {
            steps: [
              ["create", "Customer", { Name: name }],
              ["call", "Closed"],
            ],
            strict: true,
          }),
        ).toMatchObject({ code: "401" });
        expect(await customers(name)).toBe(0);
        const [created, listed] = await steps(
          ["create", "Customer", { Name: name }],
          ["find", "Customer", { where: { Name: name } }],
        );
        expect([created.version, listed.version, listed.result["~Count"]]).toEqual([1, [1], 1]);
        expect(await customers(name)).toBe(1);
      });

      test("continue after a caught error", async () => {
        const name = crypto.randomUUID();
        const id = await create({ Name: name, CreditLimit: 1 });
        const results = await steps(
          ["get", "ZZZZZZ"],
          ["get", "Customer"],
          ["create", "Customer", {}],
          ["create", "Customer", { Name: name, Nothing: 1 }],
          ["update", id, { CreditLimit: 2 }, { version: 1 }],
          ["update", id, { CreditLimit: 3 }, { version: 1 }],
          ["find", "Customer", { where: { Nothing: 1 } }],
          ["call", "Throwing", { create: name }],
          ["call", "Closed"],
          ["call", "a-b"],
          ["create", "User", { Name: name }],
          ["find", "Customer", { where: { Name: name }, forUpdate: true }],
        );
        expect(results.slice(0, 11).map((each: { version?: number }) => each.version ?? each)).toEqual([
          304, 304, 307, 307, 2, 713, 307, 710, 401, 400, 304,
        ]);
        expect(results[11]).toMatchObject({ version: [2], result: { "~Elements": [{ CreditLimit: 2 }] } });
        expect(await found(id)).toMatchObject({ version: 2, attributes: { CreditLimit: 2 } });
      });

      test("read and change the readers of objects, with the rights of the caller and in the transaction", async () => {
        const id = await create({ Name: "Ada" });
        const { userId } = (await execute("Grouped", "open")).body.data;
        const results = await steps(
          ["readers", id],
          ["setReaders", id, [{ "~ObjectID": userId }], { version: 1 }],
          ["setReaders", id, null, { version: 1 }],
          ["setReaders", id, []],
          ["setReaders", id, "x"],
          ["readers", id],
          ["readers", "ZZZZZZ"],
        );
        const narrowed = { result: { readers: [userId] }, version: 2 };
        expect(results).toEqual([{ result: { readers: null }, version: 1 }, narrowed, 713, 307, 307, narrowed, 304]);
        expect(
          (
            await execute(
              "Steps",
              {
                steps: [
                  ["readers", id],
                  ["setReaders", id, null],
                ],
              },
              sessions.reader,
            )
          ).body.data,
        ).toEqual([304, 304]);
        expect(await execute("Steps", { steps: [["setReaders", id, null], ["throw"]] })).toMatchObject({ code: "710" });
        expect(await found(id)).toMatchObject({ version: 2, readers: [userId] });
        await steps(["setReaders", id, null]);
        expect(
          (
            await execute(
              "Steps",
              {
                steps: [
                  ["readers", id],
                  ["setReaders", id, null],
                ],
              },
              sessions.reader,
            )
          ).body.data,
        ).toEqual([404, 404]);
      });

      test("delete and lock with the rights and in the session of the caller", async () => {
        const id = await create({ Name: "Ada" });
        expect(await steps(["lock", id], ["lock", id], ["unlock", id], ["unlock", id])).toMatchObject([
          { result: { isLocked: true } },
          { result: { isLocked: true } },
          { result: { isLocked: false } },
          { result: { isLocked: false } },
        ]);
        expect(
          (
            await execute(
              "Steps",
              {
                steps: [
                  ["lock", id],
                  ["update", id, { City: "Rome" }],
                  ["delete", id],
                ],
              },
              sessions.reader,
            )
          ).body.data,
        ).toEqual([404, 404, 404]);
        await steps(["lock", id]);
        expect(
          await callIn(server(), sessions.admin, `/v1/object/${id}`, { method: "PATCH", body: { City: "Oslo" } }),
        ).toMatchObject({ code: "713" });
        expect(await steps(["delete", id], ["get", id], ["update", id, {}])).toEqual([null, 609, 610]);
        expect(await callIn(server(), sessions.demo, `/v1/object/${id}`)).toMatchObject({ code: "609" });
      });

      test("lose no concurrent change of the same object", async () => {
        const id = await create({ Name: "Ada", CreditLimit: 0 });
        const answers = await Promise.all(Array.from({ length: 8 }, () => execute("Raise", { id })));
        expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => "0"));
        expect(answers.map(({ body }) => body.data).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
        expect(await found(id)).toMatchObject({ version: 9, attributes: { CreditLimit: 8 } });
      });

      test("run as items of multi requests, in their transaction", async () => {
        const item = (name: string, ...args: readonly unknown[][]) => ({
          method: "POST",
          path: `/v1/execute/${name}`,
          data: { steps: args, create: args[0] },
        });
        const multi = (path: string, ...items: readonly object[]) =>
          callIn(server(), sessions.demo, path, { method: "POST", body: items });
        const name = crypto.randomUUID();
        const creating = ["create", "Customer", { Name: name }];
        const mixed = await multi(
          "/v1/multi",
          item("Steps", creating),
          item("Throwing"),
          { method: "POST", path: "/v1/execute/Echo" },
          item("a-b"),
        );
        expect(multiResults(mixed.body.data)).toMatchObject([
          { httpStatus: 200, result: [{ version: 1 }] },
          { httpStatus: 500, result: 710 },
          { httpStatus: 200, result: {} },
          { httpStatus: 400, result: 400 },
        ]);
        expect(await customers(name)).toBe(1);
        expect(await multi("/v1/multi?atomic=true", item("Steps", creating), item("Throwing"))).toMatchObject({
          status: 500,
          code: "710",
        });
        expect(await customers(name)).toBe(1);
        const listed = await multi(
          "/v1/multi?atomic=true",
          item("Steps", creating, ["call", "Throwing", { create: name }]),
          item("Steps", ["find", "Customer", { where: { Name: name } }]),
        );
        expect(multiResults(listed.body.data)).toMatchObject([
          { result: [{ version: 1 }, 710] },
          { result: [{ version: [1, 1] }] },
        ]);
        expect(await customers(name)).toBe(2);
      });
    });
  },
  { environment: { ...withoutLockout, ...macroEnvironment, DEBUG_MESSAGES: "true" } },
);
