import { hookFixture, hookEnvironment } from "./hook-fixture.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";

/** Hooks before and after saves and deletions. */
onEngines(
  "hooks of saves",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, repositories, send, encoded, put, book, author, trace, secret, create, stored, count } =
        hookFixture(server, mode);
      test("a hook before a save changes or refuses the write, single or in bulk", async () => {
        await put(
          "Rules",
          "beforeSave",
          [book],
          `run({ object, previous, given }) {
        if (given.Pages < 0) refuse(307, "Pages are not negative.");
        if (previous !== null && previous.Note === "final") refuse(718);
        if (object.Note === "broken") null.x;
        if (object.Title === undefined) object.Title = "Untitled";
        object.Title = object.Title.trim();
      }`,
        );
        const created = await send(sessions.demo, `/v1/object/${book}`, "POST", { Note: "new" });
        expect(created).toMatchObject({ code: "0", body: { data: { Title: "Untitled", Note: "new" } } });
        const id = created.body.data["~ObjectID"];
        expect(
          await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Title: " Title  " }, { "if-match": '"1"' }),
        ).toMatchObject({ code: "0", headers: { etag: '"2"' }, body: { data: { Title: "Title" } } });
        expect(await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Pages: -1 })).toMatchObject({
          status: 400,
          code: "307",
        });
        expect(await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Note: "broken" })).toMatchObject({
          status: 500,
          code: "710",
        });
        expect(await send(sessions.demo, `/v1/object/${id}`, "PATCH", {}, { "if-match": '"1"' })).toMatchObject({
          status: 500,
          code: "713",
        });
        expect(await stored(id)).toMatchObject({ version: 2, attributes: { Title: "Title", Note: "new" } });

        const Note = crypto.randomUUID();
        const ids = [];
        for (let index = 0; index < 5; index += 1) ids.push(await create(book, { Title: `${index}`, Note }));
        const all = (query: object, attributes: object) =>
          send(sessions.demo, `/v1/objects/${book}?query=${encoded(query)}`, "PATCH", attributes);
        expect(await all({ where: { Note } }, { Title: " same " })).toMatchObject({
          code: "0",
          body: { data: { "~Count": 5 } },
        });
        expect(await stored(ids[4] as string)).toMatchObject({ version: 2, attributes: { Title: "same" } });
        await send(sessions.demo, `/v1/object/${ids[2]}`, "PATCH", { Note: "final" });
        expect(await all({ oids: ids }, { Pages: 1 })).toMatchObject({ status: 500, code: "718" });
        expect(await stored(ids[0] as string)).toMatchObject({ version: 2 });
      });

      test("a hook before a save cannot exceed the rights of the caller", async () => {
        const [word] = await repositories().objects.insert([{ className: secret, attributes: { Word: "hidden" } }]);
        const id = await create(author, { Name: "Ada" });
        await repositories().objects.update(
          [
            {
              id,
              attributes: { Secret: word?.id as string },
              links: { Secret: [word?.id as string] },
              expectedVersions: null,
            },
          ],
          { session: null },
        );
        const tries = [
          `run({ object }) { object.Secret = "${word?.id}"; object.Name = "x"; }`,
          `async run({ object }, { objects }) { object.Name = (await objects.get("${word?.id}")).Word; }`,
          `async run({ object }, { objects }) { await objects.create("${secret}", {}); }`,
          `run({ object }) { object.Nothing = 1; }`,
          `run({ object }) { object.Name = { $ref: 1 }; }`,
        ];
        const codes = [];
        for (const run of tries) {
          await put("Greedy", "beforeSave", [author], run);
          codes.push((await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Name: "new" })).code);
        }
        expect(codes).toEqual(["710", "304", "304", "710", "710"]);
        expect(await stored(id)).toMatchObject({ version: 2, attributes: { Name: "Ada", Secret: word?.id as string } });

        await put(
          "Greedy",
          "beforeSave",
          [author],
          `run({ object, previous }) {
        object.Name = JSON.stringify([object.Secret, previous.Secret]);
        object["~ObjectID"] = "1"; object["~UUID"] = "x"; object["~Version"] = 99; object["~StoreTime"] = "x"; object["__proto__"] = 1;
      }`,
        );
        expect(await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Name: "new" })).toMatchObject({
          code: "0",
          headers: { etag: '"3"' },
          body: { data: { "~ObjectID": id, Name: "[null,null]", Secret: null } },
        });
        expect(await stored(id)).toMatchObject({ version: 3, attributes: { Secret: word?.id as string } });

        await put("Groups", "beforeSave", ["User"], `run({ object }) { object.Groups = []; }`);
        const { "~ObjectID": user } = (
          await send(sessions.admin, `/v1/objects/User?query=${encoded({ where: { Name: "reader" } })}`)
        ).body.data["~Elements"][0];
        const answer = await send(sessions.demo, `/v1/object/${user}`, "PATCH", { Description: "x" });
        expect(answer.code).not.toBe("0");
      });

      test("hooks after a save are part of its transaction", async () => {
        await put(
          "Traces",
          "afterSave",
          [book],
          `async run({ object, previous }, { objects }) {
        await objects.create("${trace}", { Text: object["~ObjectID"] + (previous === null ? " new" : " changed") });
        if (object.Note === "no") refuse(718, "no");
      }`,
        );
        const id = await create(book, { Title: "Notes" });
        const texts = async () =>
          (
            await send(
              sessions.demo,
              `/v1/objects/${trace}?query=${encoded({ where: { Text: { $like: `${id} %` } } })}`,
            )
          ).body.data["~Elements"].map(({ Text }: { Text: string }) => Text);
        expect(await texts()).toEqual([`${id} new`]);
        expect(await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Note: "no" })).toMatchObject({
          status: 500,
          code: "718",
        });
        expect([await texts(), (await stored(id))?.version]).toEqual([[`${id} new`], 1]);
        await send(sessions.demo, `/v1/object/${id}`, "PATCH", { Note: "yes" });
        expect(await texts()).toEqual([`${id} new`, `${id} changed`]);

        await put(
          "Traces",
          "afterSave",
          [trace],
          `async run({ object }, { objects }) { await objects.create("${trace}", { Text: "more" }); }`,
        );
        const before = await count(trace);
        expect(await send(sessions.demo, `/v1/object/${trace}`, "POST", {})).toMatchObject({
          status: 500,
          code: "710",
        });
        expect(await count(trace)).toBe(before);
      });

      test("delete hooks receive all deleted objects, and may refuse", async () => {
        const writer = await create(author, { Name: "Ada" });
        const [one, two] = [
          await create(book, { Title: "one", Author: writer }),
          await create(book, { Title: "two", Author: writer, Note: "keep" }),
        ];
        await put(
          "Kept",
          "beforeDelete",
          [book],
          `run({ object }) { if (object.Note === "keep") refuse(718, "It stays."); }`,
        );
        await put(
          "Told",
          "afterDelete",
          [book, author],
          `async run({ object }, { objects }) { await objects.create("${trace}", { Text: "gone " + object["~ObjectID"] + " " + (object.Title ?? object.Name) }); }`,
        );
        expect(await send(sessions.demo, `/v1/object/${writer}`, "DELETE")).toMatchObject({ status: 500, code: "718" });
        expect([await stored(writer), await stored(one), await stored(two)]).toMatchObject([
          { version: 1 },
          { version: 1 },
          { version: 1 },
        ]);
        await send(sessions.demo, `/v1/object/${two}`, "PATCH", { Note: null });
        expect(await send(sessions.demo, `/v1/object/${writer}`, "DELETE")).toMatchObject({ status: 200, code: "0" });
        const gone = await send(
          sessions.demo,
          `/v1/objects/${trace}?query=${encoded({ where: { Text: { $like: "gone %" } } })}`,
        );
        const texts = gone.body.data["~Elements"]
          .map(({ Text }: { Text: string }) => Text)
          .filter((text: string) => [writer, one, two].some((id) => text.includes(` ${id} `)));
        expect(texts).toEqual([`gone ${writer} Ada`, `gone ${one} one`, `gone ${two} two`]);
      });
    });
  },
  { environment: hookEnvironment },
);
