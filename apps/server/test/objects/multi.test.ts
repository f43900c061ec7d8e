import { callIn } from "../client.ts";
import { testedModes } from "../modes.ts";
import { create, get, large, list, multiFixture, patch, patchAll, remove } from "./multi-fixture.ts";
import { openSession } from "../open-session.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

/** Multi requests that write, in every mode and on every engine. */
onEngines(
  "multi requests",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const fixture = multiFixture(server, mode);
      const { sessions, post, separately, sendMulti, resultsOf, city, inside, made, found } = fixture;

      test("executes items in order, each by itself", async () => {
        const City = city();
        const results = resultsOf(
          await separately([
            create({ Name: "Ada", City }),
            list({ City }),
            create({ Name: 5 }),
            patchAll({ City }, { Name: "Bob" }),
            { method: "POST", path: "/v1/object/Nothing", data: {} },
            create({ Name: "Carl", City }),
            list({ City, Name: "Bob" }),
          ]),
        );
        expect(results).toMatchObject([
          { httpStatus: 200, result: { Name: "Ada", City, "~ClassName": "Customer" } },
          { httpStatus: 200, result: { "~Count": 1, "~Elements": [{ Name: "Ada" }] } },
          {
            httpStatus: 400,
            result: 307,
            debugMessage: "at /Name: A string without null characters and unpaired surrogates is expected.",
          },
          { httpStatus: 200, result: { "~Count": 1 } },
          { httpStatus: 404, result: 304 },
          { httpStatus: 200, result: { Name: "Carl" } },
          { httpStatus: 200, result: { "~Count": 1, "~Elements": [{ "~ObjectID": results[0]?.result["~ObjectID"] }] } },
        ]);
        expect(results).toHaveLength(7);
        expect(await inside(City)).toBe(2);
      });

      test("ignores the If-Match header of the request for its items", async () => {
        const id = await made({ Name: "Ada" });
        const never = { "if-match": '"77"' };
        const answers = [
          await separately([patch(id, { Name: "Bob" })], sessions.demo, never),
          await sendMulti([patch(id, { Name: "Carl" })], sessions.demo, never),
        ];
        expect(answers.map((answer) => [resultsOf(answer)[0]?.httpStatus, answer.headers["etag"]])).toEqual([
          [200, undefined],
          [200, undefined],
        ]);
        expect(await found(id)).toMatchObject({ version: 3, attributes: { Name: "Carl" } });
      });

      test("uses a changed model for the following items", async () => {
        const name = `Multi_${mode}`;
        const path = `/v1/model/structure/${name}`;
        const definition = (attribute: string) => ({
          base: null,
          attributes: [{ name: attribute, type: "string" }],
          rights: [],
        });
        const results = resultsOf(
          await separately(
            [
              get(`/v1/objects/${name}`),
              { method: "PUT", path, data: definition("First") },
              { method: "POST", path: `/v1/object/${name}`, data: { First: "a" } },
              get(`/v1/objects/${name}`),
              get(path.slice(0, path.lastIndexOf("/"))),
              { method: "DELETE", path },
            ],
            sessions.admin,
          ),
        );
        expect(results.map(({ httpStatus, result }) => (httpStatus === 200 ? 0 : result))).toEqual([
          304, 0, 0, 0, 0, 307,
        ]);
        expect(results[3]?.result["~Elements"]).toMatchObject([{ First: "a" }]);
        expect(results[4]?.result.classes.map((each: { name: string }) => each.name)).toContain(name);
        const gone = resultsOf(
          await separately(
            [remove(results[2]?.result["~ObjectID"]), { method: "DELETE", path }, get(`/v1/objects/${name}`)],
            sessions.admin,
          ),
        );
        expect(gone.map(({ httpStatus, result }) => (httpStatus === 200 ? 0 : result))).toEqual([0, 0, 304]);
      });

      test("limits the size of the whole answer, and confirms every completed write", async () => {
        const ids = [await made({ Name: large }), await made({ Name: large }), await made({ Name: large })] as const;
        const reads = ids.map((id) => get(`/v1/object/${id}`));
        const tooLarge = {
          httpStatus: 400,
          result: 307,
          debugMessage: "The response of all items would be too large.",
        };
        const results = resultsOf(
          await separately([
            ...reads,
            patch(ids[0], { City: "Rome" }),
            { method: "POST", path: `/v1/lock/object/${ids[0]}` },
            { method: "DELETE", path: `/v1/lock/object/${ids[0]}` },
            get(`/v1/object/${ids[1]}`),
            get("/_CheckSession"),
          ]),
        );
        expect(results.slice(0, 2)).toMatchObject([{ result: { Name: large } }, { result: { Name: large } }]);
        expect(results[2]).toEqual(tooLarge);
        expect(results[3]).toEqual({
          httpStatus: 200,
          result: {
            "~ObjectID": ids[0],
            "~ClassName": "Customer",
            "~UUID": expect.any(String),
            "~StoreTime": expect.any(String),
          },
        });
        expect(results.slice(4)).toMatchObject([
          { result: { isLocked: true } },
          { result: { isLocked: false } },
          tooLarge,
          { httpStatus: 200, result: {} },
        ]);
        expect(await found(ids[0])).toMatchObject({ version: 2, attributes: { City: "Rome" } });

        // Requested together, each has a share of the limit; an unused share goes to others.
        const City = city();
        await made({ Name: large, City });
        await made({ Name: large, City });
        const lists = resultsOf(
          await separately([
            get("/_CheckSession"),
            list({ City }),
            list({ City: "Nowhere" }),
            get("/_CheckSession"),
            list({ City }),
          ]),
        );
        expect(lists.map(({ httpStatus, result }) => (httpStatus === 200 ? (result["~Count"] ?? "") : result))).toEqual(
          ["", 2, 0, "", 307],
        );

        const answer = await sendMulti([patch(ids[1], { City: "Rome" }), ...reads.slice(0, 2), get("/_CheckSession")]);
        expect(answer).toMatchObject({
          status: 400,
          code: "307",
          body: { status: { debugMessage: "at /2: The response of all items would be too large." } },
        });
        expect(await found(ids[1])).toMatchObject({ version: 1 });
      });

      test("executes macros, with their results among the others", async () => {
        const City = city();
        const execute = (name: string, data?: unknown) => ({
          method: "POST",
          path: `/v1/execute/${name}`,
          ...(data === undefined ? {} : { data }),
        });
        const add = (strict: boolean) =>
          execute("Steps", {
            strict,
            steps: [
              ["create", "Customer", { Name: "Ada", City }],
              ["get", "ZZZZZZZ"],
            ],
          });
        const echoes = [{ a: [1] }, [], "text", 304, null].map((data) => execute("Echo", data));
        const items = [
          ...echoes,
          execute("Echo"),
          execute("Status", { message: "as you wish", result: 1 }),
          execute("a-b"),
          execute("Closed", 1),
          execute("Checked?skipChecker=true", true),
          execute("Throwing", {}),
          execute("Nothing"),
          execute("Refuse", { code: 404 }),
          add(true),
          add(false),
          list({ City }),
        ];
        const results = resultsOf(await separately(items)).map(({ httpStatus, result }) => [
          httpStatus,
          result?.["~Count"] ?? result,
        ]);
        expect(results.slice(0, 7)).toEqual([
          [200, { a: [1] }],
          [200, []],
          [200, "text"],
          [200, 304],
          [200, null],
          [200, {}],
          [200, 1],
        ]);
        expect(results.slice(7, 14)).toEqual([
          [400, 400],
          [403, 401],
          [403, 402],
          [500, 710],
          [500, 710],
          [403, 404],
          [404, 304],
        ]);
        expect(results.slice(14)).toMatchObject([
          [200, [{ version: 1 }, 304]],
          [200, 1],
        ]);

        expect(
          resultsOf(await sendMulti([create({ Name: "Bob", City }), add(false), list({ City })]))[2],
        ).toMatchObject({
          result: { "~Count": 3 },
        });
        for (const [failing, status, code] of [
          [add(true), 404, "304"],
          [execute("Throwing", { create: City }), 500, "710"],
          [execute("Closed"), 403, "401"],
        ] as const) {
          expect(await sendMulti([create({ Name: "Carl", City }), add(false), failing])).toMatchObject({
            status,
            code,
          });
        }
        expect(await inside(City)).toBe(3);
      });

      test("is valid for its own database, without the alias in its items", async () => {
        const City = city();
        const second = await openSession(server(), mode, "demo", { alias: "second" });
        const items = [create({ Name: "Ada", City }), list({ City }), get("/second/v1/objects/Customer")];
        const results = resultsOf(await post(second, "/second/v1/multi", items));
        expect(results).toMatchObject([
          { httpStatus: 200 },
          { result: { "~Count": 1 } },
          { httpStatus: 404, result: 304 },
        ]);
        expect(await inside(City)).toBe(0);
      });

      test("refuses an ended session once for all items", async () => {
        const leaving = await openSession(server(), mode, "demo");
        await callIn(server(), leaving, "/v1/logout", { method: "POST" });
        const City = city();
        for (const path of ["/v1/multi", "/v1/multi?atomic=true"]) {
          expect((await post(leaving, path, [create({ Name: "Ada", City })])).status).toBe(401);
        }
        expect(await inside(City)).toBe(0);
      });
    });
  },
  { environment: objectEnvironment },
);
