import { MacroStore } from "@sallyport/core";
import { callIn, logOutIn } from "../client.ts";
import { macroFixture, macroEnvironment } from "../macro-fixture.ts";
import { sessionEndedCode, testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { readBarrier } from "../read-barrier.ts";
import { onEngines, withoutLockout } from "../engines.ts";

/** Macros, in every mode and on every engine. */
onEngines(
  "macros",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const fixture = macroFixture(server, mode);
      const { sessions, repositories, execute, create, customers } = fixture;

      test("return any JSON as the data of the answer, and nothing as an empty object", async () => {
        for (const input of [{ a: [1, null, "ü\u2028"] }, [], [1], "text", 0, false, null]) {
          expect(await execute("Echo", input)).toMatchObject({
            status: 200,
            code: "0",
            body: { status: { statusMessage: "ok" }, data: input },
          });
        }
        expect(await execute("Echo")).toMatchObject({ status: 200, code: "0", body: { data: {} } });
      });

      test("are described with the input that they declare", async () => {
        const { body } = await callIn(server(), sessions.reader, "/openapi.json");
        expect(body.components.schemas["macro.Typed"]).toMatchObject({
          type: "object",
          properties: { count: { type: "integer", minimum: 1 } },
        });
        const { requestBody } = body.paths["/v1/execute/{macroName}"].post;
        const { schema, examples } = requestBody.content["application/json"];
        expect(schema.anyOf).toEqual([{ $ref: "#/components/schemas/macro.Typed" }, { title: "Any input" }]);
        expect(examples).toEqual({ Typed: { summary: "Typed", value: { count: 1 } } });
      });

      test("choose the status message", async () => {
        const answer = await execute("Status", { message: "as you wish", result: 1 });
        expect([answer.status, answer.body]).toEqual([
          200,
          { status: { internalStatus: "0", statusMessage: "as you wish" }, data: 1 },
        ]);
      });

      test("run for callers with access, and their checks decide last", async () => {
        const codes = async (name: string, input: unknown) =>
          [
            await execute(name, input),
            await execute(name, input, sessions.reader),
            await execute(name, input, sessions.admin),
          ].map(({ status, code }) => `${status}/${code}`);
        expect(await codes("Closed", 1)).toEqual(["403/401", "403/401", "200/0"]);
        expect(await codes("Closed?skipChecker=true", 1)).toEqual(["403/401", "403/401", "200/0"]);
        expect(await codes("Grouped", "open")).toEqual(["200/0", "403/401", "200/0"]);
        expect(await codes("Grouped", "shut")).toEqual(["403/401", "403/401", "403/401"]);
        expect(await codes("Grouped?skipChecker=true", "shut")).toEqual(["200/0", "403/401", "200/0"]);
        expect(await codes("Grouped?skipChecker=false", "shut")).toEqual(["403/401", "403/401", "403/401"]);
        expect(await codes("Checked", true)).toEqual(["200/0", "200/0", "200/0"]);
        for (const other of ["true", 1, null, {}])
          expect(await codes("Checked", other)).toEqual(["403/401", "403/401", "403/401"]);
        expect(await codes("Checked?skipChecker=true", true)).toEqual(["403/402", "403/402", "200/0"]);
      });

      test("know their caller", async () => {
        const { data } = (await execute("Grouped", "open")).body;
        expect(data).toEqual({
          userId: expect.any(String),
          administrator: false,
          appNames: ["demo-app"],
          database: "demo",
          name: "demo",
          groups: expect.arrayContaining([{ id: expect.any(String), name: "Sales" }]),
        });
      });

      test("have their input validated against its schema", async () => {
        expect(await execute("Typed", { count: 2 })).toMatchObject({ code: "0", body: { data: 2 } });
        for (const input of [{ count: 0 }, { count: "2" }, { count: 1, more: 1 }, {}, [], null, undefined]) {
          expect(await execute("Typed", input)).toMatchObject({ status: 400, code: "307" });
        }
        const { body } = await execute("Typed", { count: "2" });
        expect(body.status.debugMessage).toMatch(/\/count/);
      });

      test("answer with a chosen code of the catalogue", async () => {
        for (const [code, status] of [
          [307, 400],
          [403, 403],
          [609, 410],
          [713, 500],
          [801, 413],
        ] as const) {
          expect(await execute("Refuse", { code, detail: "in its words" })).toMatchObject({
            status,
            code: String(code),
            body: { status: { debugMessage: "in its words" } },
          });
        }
        for (const code of [0, 1, 200.5, "307", null, 1e9])
          expect(await execute("Refuse", { code })).toMatchObject({ status: 500, code: "710" });
      });

      test("never answer that a key, a session, a message or the server is at fault", async () => {
        for (const code of [101, 201, 203, 204, 207, 302, 312, 314, 315, 318, 340, 341, 342, 607, 704, 706, 799, 800]) {
          const answer = await execute("Refuse", { code, detail: "in its words" });
          expect([code, answer.status, answer.code, answer.headers["retry-after"]]).toEqual([
            code,
            500,
            "710",
            undefined,
          ]);
        }
      });

      test("are different if their names differ in case only", async () => {
        const macros = new MacroStore(repositories());
        const put = (name: string) =>
          macros.put(
            {
              name,
              text: `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", run: () => "${name}" });`,
              language: "js",
              changedBy: "test",
            },
            0,
          );
        const names = [`Cased_${mode}`, `cased_${mode}`];
        expect([await put(names[0] as string), await put(names[1] as string)]).toEqual(["stored", "stored"]);
        const results = async () => Promise.all(names.map(async (name) => (await execute(name)).body.data ?? null));
        expect(await results()).toEqual(names);
        await macros.remove(names[0] as string, { changedBy: "test", expectedVersion: 1 });
        expect(await results()).toEqual([null, names[1]]);
      });

      test("have a complete status message and log lines, including zero characters", async () => {
        const message = "before\u0000after\ud83d\ude00";
        expect((await execute("Status", { message, result: message })).body).toEqual({
          status: { internalStatus: "0", statusMessage: message },
          data: message,
        });
      });

      test.each(["Broken", "Misdeclared", "Throwing", "Nothing"])(
        "answer 710 when they cannot be executed: %s",
        async (name) => {
          const { status, code, body } = await execute(name, {});
          expect([status, code, body.data]).toEqual([500, "710", undefined]);
          expect(body.status.debugMessage).not.toMatch(/node_modules|dist|\.js:|file:/);
        },
      );

      test.each(["time", "memory", "pending", "stack", "result"])(
        "end when they run away with %s, and leave the others working",
        async (what) => {
          await execute("Echo", 1);
          const answer = await execute("Runaway", what);
          expect([answer.status, answer.code, (await execute("Echo", 2)).body.data]).toEqual([500, "710", 2]);
        },
      );

      test("complete when their session ends during them, and it stays ended", async () => {
        const [id, name] = [await create({ Name: "Ada" }), crypto.randomUUID()];
        const session = await openSession(server(), mode, "demo");
        const barrier = readBarrier(repositories(), id);
        const running = execute(
          "Steps",
          {
            steps: [
              ["get", id],
              ["create", "Customer", { Name: name }],
            ],
          },
          session,
        );
        await barrier.reached;
        expect(await logOutIn(server(), session)).toBe("0");
        barrier.open();
        expect((await running).code).toBe("0");
        expect(await customers(name)).toBe(1);
        expect(await execute("Echo", 1, session)).toMatchObject({ code: sessionEndedCode[mode] });
      });

      test("complete when they are removed during their execution", async () => {
        const id = await create({ Name: "Ada" });
        const macros = new MacroStore(repositories());
        const name = `Removed_${mode}`;
        const text = `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", run: async ({ input, objects }) => (await objects.get(input)).Name });`;
        await macros.put({ name, text, language: "js", changedBy: "test" }, null);
        const barrier = readBarrier(repositories(), id);
        const running = execute(name, id);
        await barrier.reached;
        await macros.remove(name, { changedBy: "test", expectedVersion: null });
        expect(await execute(name, id)).toMatchObject({ code: "710" });
        barrier.open();
        expect(await running).toMatchObject({ code: "0", body: { data: "Ada" } });
      });

      test("of the database take precedence over the folder's, from the next request on", async () => {
        const macros = new MacroStore(repositories());
        const name = `Stored_${mode}`;
        const text = (result: string) =>
          `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", run: () => "${result}" });`;
        const put = (result: string, as = name) =>
          macros.put({ name: as, text: text(result), language: "js", changedBy: "test" }, null);
        expect(await execute(name)).toMatchObject({ code: "710" });
        await put("first");
        expect(await execute(name)).toMatchObject({ code: "0", body: { data: "first" } });
        await put("second");
        expect(await execute(name)).toMatchObject({ code: "0", body: { data: "second" } });
        await put("of the database", "Echo");
        expect(await execute("Echo", 1)).toMatchObject({ body: { data: "of the database" } });
        await macros.remove("Echo", { changedBy: "test", expectedVersion: null });
        expect(await execute("Echo", 1)).toMatchObject({ body: { data: 1 } });
        await macros.remove(name, { changedBy: "test", expectedVersion: null });
        expect(await execute(name)).toMatchObject({ code: "710" });
      });
    });
  },
  { environment: { ...withoutLockout, ...macroEnvironment, DEBUG_MESSAGES: "true" } },
);
