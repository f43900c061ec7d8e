import { tryLogIn } from "../client.ts";
import { metaFields, nestedMetaFields, hookFixture, hookEnvironment } from "./hook-fixture.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";

/** How hooks change objects in answers. */
onEngines(
  "hooks of answers",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, send, put, book, author, create, get, list, stored } = hookFixture(server, mode);
      test("an answer hook changes objects wherever they appear with attributes", async () => {
        const writer = await create(author, { Name: "Ada" });
        const id = await create(book, { Title: "Notes", Pages: 12, Author: writer });
        await put(
          "Shown",
          "xRestApi_BuildSerialization",
          [book, author],
          `run(obj, json, { caller }) {
        json.Label = (obj.Title ?? obj.Name) + " for " + caller.name;
        json["~ObjectID"] = "1"; json["~UUID"] = "forged"; json["~ClassName"] = "User";
        delete json["~StoreTime"]; delete json.Pages;
        json["__proto__"] = { polluted: true };
      }`,
        );
        const labelled = {
          "~ClassName": author,
          "~ObjectID": writer,
          "~StoreTime": expect.any(String),
          Name: "Ada",
          Label: "Ada for demo",
        };
        const whole = {
          "~ClassName": book,
          "~ObjectID": id,
          "~UUID": expect.any(String),
          "~StoreTime": expect.any(String),
          Title: "Notes",
          Author: labelled,
          Label: "Notes for demo",
        };
        expect(await get(id)).toEqual(whole);
        expect((await list(book, { oids: [id] })).body.data["~Elements"]).toEqual([whole]);
        expect(await get(id, { depth: 0 })).toMatchObject({ Label: "Notes for demo", Author: { "~ObjectID": writer } });
        expect(Object.keys((await get(id, { depth: 0 })).Author)).toEqual(nestedMetaFields);
        const cut = {
          Title: { "~Cut": "No", "~Length": 5 },
          Label: "Notes for demo",
          Author: { Label: "Ada for demo" },
        };
        expect(await get(id, { cut: 2 })).toMatchObject(cut);
        const listed = await send(
          sessions.demo,
          `/v1/objects/${book}?serialization=${encodeURIComponent('{"cut":2}')}&query=${encodeURIComponent(`{"oids":["${id}"]}`)}`,
        );
        expect(listed.body.data["~Elements"]).toMatchObject([cut]);
        expect(await get(id, { type: "custom", fields: ["Pages"] })).toEqual({
          "~ClassName": book,
          "~ObjectID": id,
          "~UUID": expect.any(String),
          "~StoreTime": expect.any(String),
          Label: "Notes for demo",
        });
        expect(await get(id, { type: "macro" })).toEqual({
          "~ClassName": book,
          "~ObjectID": id,
          "~UUID": expect.any(String),
          "~StoreTime": expect.any(String),
          Label: "Notes for demo",
        });
        expect(Object.keys(await get(id, { type: "empty" }))).toEqual(metaFields);
        expect(await get(id, { type: "oid" })).toEqual({ "~ObjectID": id });
        const changed = await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Title: "Changed" });
        expect(changed).toMatchObject({
          code: "0",
          headers: { etag: '"2"' },
          body: { data: { Label: "Changed for demo" } },
        });
        expect((await send(sessions.demo, `/v1/object/${book}`, "POST", { Title: "New" })).body.data).toMatchObject({
          Label: "New for demo",
        });
        await send(sessions.demo, `/v1/object/${id}?moveToRecycler=true`, "DELETE");
        expect((await send(sessions.demo, `/v1/object/${id}/restore`, "POST")).body.data).toMatchObject({
          "~ObjectID": id,
          Label: "Changed for demo",
        });
      });

      test("a failing answer hook fails reads with 710, and reduces the answer of a completed write to meta-fields", async () => {
        const id = await create(book, { Title: "Notes" });
        await put(
          "Failing",
          "xRestApi_BuildSerialization",
          [book],
          `run(obj) { throw new Error("trace-7 " + obj.Title); }`,
        );
        for (const answer of [await send(sessions.demo, `/v1/object/${id}`), await list(book, {})]) {
          expect(answer).toMatchObject({ status: 500, code: "710" });
          expect(JSON.stringify(answer.body)).not.toContain("trace-7");
        }
        const changed = await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Pages: 5 });
        expect([changed.status, changed.code, Object.keys(changed.body.data)]).toEqual([200, "0", metaFields]);
        expect(await stored(id)).toMatchObject({ version: 2, attributes: { Pages: 5 } });
        expect(await get(id, { type: "empty" })).toMatchObject({ "~ObjectID": id });
        await put("Failing", "xRestApi_BuildSerialization", [book], `run() { refuse(404, "not for you"); }`);
        expect(await send(sessions.demo, `/v1/object/${id}`)).toMatchObject({ status: 403, code: "404" });
      });

      test("an answer hook cannot exceed the size limit of answers", async () => {
        const writer = await create(author, { Name: "Ada" });
        for (let index = 0; index < 8; index += 1) await create(book, { Title: "Large", Author: writer });
        await put(
          "Large",
          "xRestApi_BuildSerialization",
          [author],
          `run(obj, json) { json.Text = "x".repeat(400_000); }`,
        );
        const query = { where: { Author: writer } };
        expect(await list(book, query, "&perPage=4")).toMatchObject({ code: "0" });
        expect(await list(book, query)).toMatchObject({ status: 400, code: "307" });
        await put(
          "Large",
          "xRestApi_BuildSerialization",
          [author],
          `run(obj, json) { json.Text = "x".repeat(40_000_000); }`,
        );
        expect(await send(sessions.demo, `/v1/object/${writer}`)).toMatchObject({ status: 500, code: "710" });
        const created = await send(sessions.demo, `/v1/object/${author}`, "POST", { Name: "Bob" });
        expect([created.code, Object.keys(created.body.data)]).toEqual(["0", metaFields]);
      });

      test("an endless answer hook ends at its limit, while others continue", async () => {
        const id = await create(book, { Title: "Notes" });
        await put("Endless", "xRestApi_BuildSerialization", [book], `run() { for (;;); }`, "timeout: 500,");
        const endless = send(sessions.demo, `/v1/object/${id}`);
        for (let index = 0; index < 5; index += 1)
          expect(await send(sessions.demo, `/v1/object/${id}?serialization={"type":"empty"}`)).toMatchObject({
            code: "0",
          });
        expect(await endless).toMatchObject({ status: 500, code: "710" });
      });

      test("hooks build the user object of a log-in, and a failing hook does not prevent the log-in", async () => {
        const logIn = async () => {
          const { code, body } = await tryLogIn(server(), "reader");
          expect(code).toBe("0");
          return body.data;
        };
        await put(
          "Own",
          "xRestApi_BuildSerialization",
          ["User"],
          `run(obj, json) { json.Greeting = "Hello " + obj.Name; }`,
        );
        const { user } = await logIn();
        expect(user).toMatchObject({ "~ClassName": "User", Name: "reader", Greeting: "Hello reader" });
        await put("Own", "xRestApi_BuildSerialization", ["User"], `run() { for (;;); }`, "timeout: 200,");
        expect(Object.keys((await logIn()).user)).toEqual(nestedMetaFields);
      });
    });
  },
  { environment: hookEnvironment },
);
