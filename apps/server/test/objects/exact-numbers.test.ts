import { randomUUID } from "node:crypto";
import { administrationOf, MacroStore, putSyncSchema } from "@sallyport/core";
import { tryLogIn } from "../client.ts";
import { databaseOf, repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

/** Numbers that `JSON.parse` changes, in different places of a value. */
const changed = [
  ["9007199254740993", "9007199254740993"],
  ["1e400", "[null, 1e400]"],
  ["-0", '{"deep": [{"text": "1", "n":-0 }]}'],
  ["0.3333333333333333333333333333", "[[0.3333333333333333333333333333]]"],
] as const;

/** Numbers that it keeps, some with another spelling. */
const kept = [
  ["9007199254740991", "9007199254740991"],
  ["1E21", "1e+21"],
  ["5e-324", "5e-324"],
  ["1.7976931348623157e308", "1.7976931348623157e+308"],
  ["-0.10", "-0.1"],
] as const;

/** Numbers in `json` attributes: as they came, or refused. */
onEngines(
  "objects with numbers",
  (server) => {
    let sessionId = "";
    /** Sends a body as it is. */
    const ask = async (method: string, path: string, body?: string) => {
      const response = await fetch(`${server().url}${path}`, {
        method,
        headers: { appkey: "demo-app-key", sessionid: sessionId, "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      const { status, data } = JSON.parse(text);
      return { code: status.internalStatus as string, data, text };
    };
    const create = async (any: string) =>
      (await ask("POST", "/v1/object/Numbers", `{"Any": ${any}}`)).data["~ObjectID"];
    const stored = async (id: string) => (await ask("GET", `/v1/object/${id}`)).text;

    beforeAll(async () => {
      const r = repositoriesOf(server());
      const attributes = [
        { name: "Any", type: "json" },
        { name: "Amount", type: "number" },
      ] as const;
      const rights = [{ group: "*", permissions: ["read", "create", "write"] }] as const;
      const change = { put: [{ name: "Numbers", base: null, attributes, rights }] };
      while ((await r.model.change(change, (await r.model.load()).generation)) === "stale");
      await putSyncSchema(administrationOf(databaseOf(server())), {
        name: "numbers",
        classes: [{ className: "Numbers" }],
      } as never);
      await new MacroStore(r).put(
        {
          name: "WriteNumber",
          text: `import { defineMacro } from "@sallyport/macros";
          export default defineMacro({ access: "everyone", run: ({ input, objects }) => objects.update(input.id, {
            Any: { deep: [null, { NaN, Infinity, one: 1 }[input.value]] },
          }) });`,
          language: "js",
          changedBy: "test",
        },
        null,
      );
      sessionId = (await tryLogIn(server(), "demo")).body.data?.sessionId;
    });

    test.each(changed)("%s in a json attribute is refused in every request", async (_, value) => {
      const id = await create('{"before": 1}');
      const before = await stored(id);
      const query = (text: string) => encodeURIComponent(text);
      const body = `{"Amount": 1, "Any": ${value}}`;
      for (const [method, path] of [
        ["POST", "/v1/object/Numbers"],
        ["PATCH", `/v1/object/${id}`],
        ["PATCH", `/v1/objects/Numbers?query=${query(`{"oids": ["${id}"]}`)}`],
      ] as const)
        expect(await ask(method, path, body)).toMatchObject({ code: "307" });
      const where = query(`{"where": {"Any": {"$eq": ${value}}}}`);
      expect(await ask("GET", `/v1/objects/Numbers?query=${where}`)).toMatchObject({ code: "307" });
      const item = `{"method": "PATCH", "path": "/v1/object/${id}", "data": ${body}}`;
      const multi = await ask("POST", "/v1/multi", `[${item}]`);
      expect(multi.data).toMatchObject([{ result: { status: { internalStatus: "307" } } }]);
      const op = (fields: string) =>
        `{"id": "${randomUUID()}", "op": "put", "uuid": "${randomUUID()}", "syncVersion": "0", "className": "Numbers", "fields": ${fields}}`;
      const ops = `{"syncVersion": "0", "ops": [${op(body)}, ${op('{"Any": 2}')}]}`;
      const { results } = (await ask("POST", "/v1/sync/numbers/push", ops)).data;
      expect(results.map(({ internalStatus }: { internalStatus: unknown }) => Number(internalStatus))).toEqual([
        307, 0,
      ]);
      const input = `{"id": "${id}", "value": ${value}}`;
      expect(await ask("POST", "/v1/execute/WriteNumber", input)).toMatchObject({ code: "307" });
      expect(await stored(id)).toBe(before);
    });

    test.each(kept)("%s in a json attribute is kept", async (number, shown) => {
      const deep = await create(`{"deep": [${number}]}`);
      expect(await stored(deep)).toContain(`"Any":{"deep":[${shown}]}`);
      const id = await create(number);
      expect(await stored(id)).toContain(`"Any":${shown}}`);
      const query = `{"where": {"Any": {"$eq": ${number}}}, "oids": ["${id}"]}`;
      expect((await ask("GET", `/v1/objects/Numbers?query=${encodeURIComponent(query)}`)).data["~Count"]).toBe(1);
    });

    test("a json attribute is shown as a text of JSON, and cut", async () => {
      const id = await create('{"deep": [1e21, "\u{1f600}"]}');
      const ofQuery = encodeURIComponent(`{"oids": ["${id}"]}`);
      const shown = async (serialization: object) => {
        const form = encodeURIComponent(JSON.stringify(serialization));
        const one = (await ask("GET", `/v1/object/${id}?serialization=${form}`)).data;
        const list = (await ask("GET", `/v1/objects/Numbers?query=${ofQuery}&serialization=${form}`)).data;
        expect(list["~Elements"]).toEqual([one]);
        return one.Any;
      };
      const text = '{"deep":[1e+21,"\u{1f600}"]}';
      expect(await shown({ json: "text" })).toBe(text);
      expect(await shown({ json: "text", cut: 8 })).toEqual({ "~Cut": '{"deep":', "~Length": 20 });
      expect(await shown({ cut: 8 })).toEqual(JSON.parse(text));
      await ask("PATCH", `/v1/object/${id}`, '{"Any": null}');
      expect(await shown({ json: "text", cut: 8 })).toBeNull();
    });

    test("a number attribute holds the nearest double", async () => {
      const { text } = await ask("POST", "/v1/object/Numbers", '{"Amount": 0.3333333333333333333333333333}');
      expect(text).toContain('"Amount":0.3333333333333333');
      expect(await ask("POST", "/v1/object/Numbers", '{"Amount": 1e400}')).toMatchObject({ code: "307" });
      expect(await ask("POST", "/v1/object/Numbers", '{"Amount": -0}')).toMatchObject({ code: "0" });
    });

    test.each(["NaN", "Infinity"])("a macro cannot write %s", async (value) => {
      const id = await create("1");
      const run = (which: string) => ask("POST", "/v1/execute/WriteNumber", JSON.stringify({ id, value: which }));
      expect(await run(value)).toMatchObject({ code: "710" });
      expect(await stored(id)).toContain('"Any":1}');
      expect(await run("one")).toMatchObject({ code: "0" });
      expect(await stored(id)).toContain('"Any":{"deep":[null,1]}');
    });
  },
  { environment: objectEnvironment },
);
