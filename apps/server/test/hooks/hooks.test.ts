import { multiResults } from "../client.ts";
import { everything, hookFixture, hookEnvironment } from "./hook-fixture.ts";
import { testedModes } from "../modes.ts";
import { onEngines } from "../engines.ts";

/** Hooks over HTTP, in every mode and on every engine. */
onEngines(
  "hooks",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const fixture = hookFixture(server, mode);
      const { sessions, send, encoded, put, remove, book } = fixture;

      test("hooks see only the attributes that their caller may read", async () => {
        const kept = `Kept_${mode}`;
        const groups = (await send(sessions.admin, "/v1/objects/UserGroup")).body.data["~Elements"] as {
          Name: string;
          "~ObjectID": string;
        }[];
        const readers = groups.find(({ Name }) => Name === "Readers")?.["~ObjectID"];
        const definition = {
          attributes: [
            { name: "Title", type: "string" },
            { name: "Note", type: "string", read: [readers] },
          ],
          rights: [{ group: "*", permissions: everything }],
        };
        expect((await send(sessions.admin, `/v1/model/structure/${kept}`, "PUT", definition)).code).toBe("0");
        await put(
          "Keys",
          "xRestApi_BuildSerialization",
          [kept],
          `run(obj, json) { json.Keys = Object.keys(obj).filter((name) => !name.startsWith("~")).sort().join(" "); }`,
        );
        const id = (await send(sessions.admin, `/v1/object/${kept}`, "POST", { Title: "a", Note: "b" })).body.data[
          "~ObjectID"
        ];
        expect((await send(sessions.admin, `/v1/object/${id}`)).body.data).toMatchObject({
          Note: "b",
          Keys: "Note Title",
        });
        expect((await send(sessions.demo, `/v1/object/${id}`)).body.data).toMatchObject({ Keys: "Title" });
        await put(
          "Told",
          "beforeSave",
          [kept],
          `run({ object }) { if ("Note" in object) refuse(403, "seen"); object.Title = "told"; }`,
        );
        expect((await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Title: "c" })).body.data).toMatchObject({
          Title: "told",
        });
        await put("Told", "beforeSave", [kept], `run({ object }) { object.Note = "set"; }`);
        expect(await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Title: "c" })).toMatchObject({ code: "710" });
      });

      test("hooks run for the items of multi requests, in their transaction if shared", async () => {
        await put("Shown", "xRestApi_BuildSerialization", [book], `run(obj, json) { json.Label = obj.Title + "!"; }`);
        await put(
          "Rules",
          "beforeSave",
          [book],
          `run({ object }) { if (object.Title === "bad") refuse(403, "no"); object.Note = "seen"; }`,
        );
        const title = crypto.randomUUID();
        const add = (Title: string) => ({ method: "POST", path: `/v1/object/${book}`, data: { Title } });
        const query = encoded({ where: { Title: title } });
        const found = { method: "GET", path: `/v1/objects/${book}?query=${query}` };
        const shown = { result: { "~Elements": [{ Label: `${title}!`, Note: "seen" }] } };
        const apart = await send(sessions.demo, "/v1/multi", "POST", [add(title), add("bad"), found, found]);
        expect(multiResults(apart.body.data)).toMatchObject([
          { httpStatus: 200, result: { Label: `${title}!` } },
          { httpStatus: 403, result: 403 },
          shown,
          shown,
        ]);
        expect(
          await send(sessions.demo, "/v1/multi?atomic=true", "POST", [add(title), found, add("bad")]),
        ).toMatchObject({
          status: 403,
          code: "403",
        });
        const together = await send(sessions.demo, "/v1/multi?atomic=true", "POST", [found, add(title), found]);
        expect(multiResults(together.body.data)).toMatchObject([
          { result: { "~Count": 1 } },
          { httpStatus: 200 },
          { result: { "~Count": 2, "~Elements": [{ Note: "seen" }, { Note: "seen" }] } },
        ]);
      });

      test("a hook that breaks on a running server continues to block what it guards", async () => {
        await put("Guard", "beforeSave", [book], `run() {}`);
        expect(await send(sessions.demo, `/v1/object/${book}`, "POST", { Title: "before" })).toMatchObject({
          code: "0",
        });
        await put("Guard", "beforeSave", [book], `run() { syntax error`);
        expect(await send(sessions.demo, `/v1/object/${book}`, "POST", { Title: "meanwhile" })).toMatchObject({
          status: 500,
          code: "710",
        });
        await put("Guard", "beforeSave", [book], `run() { refuse(718); }`);
        expect(await send(sessions.demo, `/v1/object/${book}`, "POST", { Title: "after" })).toMatchObject({
          code: "718",
        });
        await remove("Guard");
        expect(await send(sessions.demo, `/v1/object/${book}`, "POST", { Title: "free" })).toMatchObject({ code: "0" });
      });

      test("hooks cannot be executed, and modules that were never valid are not hooks", async () => {
        await put("Quiet", "afterSave", [book], `run() {}`);
        await put("Broken", "beforeSave", [book], `run() { syntax error`);
        await put("Wrong", "beforeSomething", [book], `run() {}`);
        for (const name of ["Quiet", "Broken", "Wrong", "xRestApi_FindObjects"])
          expect(await send(sessions.admin, `/v1/execute/${name}`, "POST", {})).toMatchObject({
            status: 500,
            code: "710",
          });
        expect(await send(sessions.demo, `/v1/object/${book}`, "POST", { Title: "saved" })).toMatchObject({
          code: "0",
        });
      });
    });
  },
  { environment: hookEnvironment },
);
