import type { LogInMode } from "@sallyport/client";
import { type ClassDefinition, type Repositories, seesAll } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";
import { type Answer, callIn, type Sent, tryLogIn, multiResults } from "./client.ts";
import { modes } from "./modes.ts";
import { openSession } from "./open-session.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

/** What the server has to be told. */
export const hookEnvironment: Readonly<Record<string, string>> = {
  ...storedServerKeys,
  THROTTLE_ADDRESS_FREE_FAILURES: "1000",
  ANSWER_BYTES: String(2 * 1_048_576),
};

const everything = ["read", "create", "write", "delete"] as const;

/** The classes of one mode: everybody may do everything with all but the last of them. */
const classesOf = (mode: LogInMode): ClassDefinition[] => [
  {
    name: `Book_${mode}`,
    base: null,
    attributes: [
      { name: "Title", type: "string", mandatory: true },
      { name: "Pages", type: "number" },
      { name: "Note", type: "string" },
      { name: "Author", type: "reference", target: `Author_${mode}`, onDelete: "cascade" },
    ],
    rights: [{ group: "*", permissions: everything }],
  },
  {
    name: `Author_${mode}`,
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "Secret", type: "reference", target: `Secret_${mode}` },
    ],
    rights: [{ group: "*", permissions: everything }],
  },
  {
    name: `Trace_${mode}`,
    base: null,
    attributes: [{ name: "Text", type: "string" }],
    rights: [{ group: "*", permissions: everything }],
  },
  { name: `Secret_${mode}`, base: null, attributes: [{ name: "Word", type: "string" }], rights: [] },
];

/** Of objects that were asked for, and of those in them and in log-ins. */
const metaFields = ["~ClassName", "~ObjectID", "~UUID", "~StoreTime"];
const nestedMetaFields = ["~ClassName", "~ObjectID", "~StoreTime"];

/** What hooks do over HTTP, in every mode and on every engine. */
export function hookSuite(server: () => RunningServer): void {
  const repositories = (): Repositories => {
    const found = server().databases.get("");
    if (!found) throw new Error("The demo has no database.");
    return found.storage.repositories;
  };
  const send = (
    session: Session,
    path: string,
    method: Sent["method"] = "GET",
    body?: object,
    headers: Sent["headers"] = {},
  ): Promise<Answer> =>
    callIn(server(), session, path, { method, headers, ...(body === undefined ? {} : { body }) } as Sent);
  const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));

  const put = async (name: string, on: string, classes: readonly string[] | null, run: string, more = "") => {
    const declared = classes === null ? "" : `classes: ${JSON.stringify(classes)},`;
    const text = `import { defineHook, refuse } from "@sallyport/macros";\nexport default defineHook({ on: "${on}", ${declared} ${more}\n  ${run}\n});\n`;
    await repositories().macros.put({ name, text, language: "js", changedBy: "test" }, null);
  };
  const remove = async (...names: string[]) => {
    for (const name of names) await repositories().macros.remove(name, { changedBy: "test", expectedVersion: null });
  };

  describe.each(modes)("in mode %s", (mode) => {
    const book = `Book_${mode}`;
    const author = `Author_${mode}`;
    const trace = `Trace_${mode}`;
    const secret = `Secret_${mode}`;
    let demo: Session;
    let admin: Session;
    beforeAll(async () => {
      const { model } = repositories();
      const classes = classesOf(mode);
      while ((await model.change({ put: classes }, (await model.load()).generation)) === "stale");
      [demo, admin] = [await openSession(server(), mode, "demo"), await openSession(server(), mode, "admin")];
    });
    afterEach(async () => {
      const { macros } = await repositories().macros.load();
      await remove(...macros.map(({ name }) => name));
    });

    const create = async (className: string, attributes: object): Promise<string> => {
      const answer = await send(demo, `/v1/object/${className}`, "POST", attributes);
      if (answer.code !== "0") throw new Error(`Creating a ${className} answers ${answer.code}.`);
      return answer.body.data["~ObjectID"];
    };
    const get = async (id: string, serialization: object = {}) =>
      (await send(demo, `/v1/object/${id}?serialization=${encoded(serialization)}`)).body.data;
    const list = (className: string, query: object, more = "") =>
      send(demo, `/v1/objects/${className}?query=${encoded(query)}${more}`);
    const stored = async (id: string) => (await repositories().objects.get([id], seesAll))[0];
    const count = (className: string) => repositories().objects.count({ classes: [className] }, seesAll);

    test("a hook of answers shows objects differently, wherever they are written with attributes", async () => {
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
      const changed = await send(demo, `/v1/object/${id}`, "PATCH", { Title: "Changed" });
      expect(changed).toMatchObject({
        code: "0",
        headers: { etag: '"2"' },
        body: { data: { Label: "Changed for demo" } },
      });
      expect((await send(demo, `/v1/object/${book}`, "POST", { Title: "New" })).body.data).toMatchObject({
        Label: "New for demo",
      });
      await send(demo, `/v1/object/${id}?moveToRecycler=true`, "DELETE");
      expect((await send(demo, `/v1/object/${id}/restore`, "POST")).body.data).toMatchObject({
        "~ObjectID": id,
        Label: "Changed for demo",
      });
    });

    test("hooks see only the attributes that their caller may read", async () => {
      const kept = `Kept_${mode}`;
      const groups = (await send(admin, "/v1/objects/UserGroup")).body.data["~Elements"] as {
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
      expect((await send(admin, `/v1/model/structure/${kept}`, "PUT", definition)).code).toBe("0");
      await put(
        "Keys",
        "xRestApi_BuildSerialization",
        [kept],
        `run(obj, json) { json.Keys = Object.keys(obj).filter((name) => !name.startsWith("~")).sort().join(" "); }`,
      );
      const id = (await send(admin, `/v1/object/${kept}`, "POST", { Title: "a", Note: "b" })).body.data["~ObjectID"];
      expect((await send(admin, `/v1/object/${id}`)).body.data).toMatchObject({ Note: "b", Keys: "Note Title" });
      expect((await send(demo, `/v1/object/${id}`)).body.data).toMatchObject({ Keys: "Title" });
      await put(
        "Told",
        "beforeSave",
        [kept],
        `run({ object }) { if ("Note" in object) refuse(403, "seen"); object.Title = "told"; }`,
      );
      expect((await send(demo, `/v1/object/${id}`, "PATCH", { Title: "c" })).body.data).toMatchObject({
        Title: "told",
      });
      await put("Told", "beforeSave", [kept], `run({ object }) { object.Note = "set"; }`);
      expect(await send(demo, `/v1/object/${id}`, "PATCH", { Title: "c" })).toMatchObject({ code: "710" });
    });

    test("hooks run for the items of multi requests, and belong to the transaction of those that share one", async () => {
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
      const apart = await send(demo, "/v1/multi", "POST", [add(title), add("bad"), found, found]);
      expect(multiResults(apart.body.data)).toMatchObject([
        { httpStatus: 200, result: { Label: `${title}!` } },
        { httpStatus: 403, result: 403 },
        shown,
        shown,
      ]);
      expect(await send(demo, "/v1/multi?atomic=true", "POST", [add(title), found, add("bad")])).toMatchObject({
        status: 403,
        code: "403",
      });
      const together = await send(demo, "/v1/multi?atomic=true", "POST", [found, add(title), found]);
      expect(multiResults(together.body.data)).toMatchObject([
        { result: { "~Count": 1 } },
        { httpStatus: 200 },
        { result: { "~Count": 2, "~Elements": [{ Note: "seen" }, { Note: "seen" }] } },
      ]);
    });

    test("a hook of answers that fails, fails reads with 710, and shrinks the answers of what is done to meta-fields", async () => {
      const id = await create(book, { Title: "Notes" });
      await put(
        "Failing",
        "xRestApi_BuildSerialization",
        [book],
        `run(obj) { throw new Error("trace-7 " + obj.Title); }`,
      );
      for (const answer of [await send(demo, `/v1/object/${id}`), await list(book, {})]) {
        expect(answer).toMatchObject({ status: 500, code: "710" });
        expect(JSON.stringify(answer.body)).not.toContain("trace-7");
      }
      const changed = await send(demo, `/v1/object/${id}`, "PATCH", { Pages: 5 });
      expect([changed.status, changed.code, Object.keys(changed.body.data)]).toEqual([200, "0", metaFields]);
      expect(await stored(id)).toMatchObject({ version: 2, attributes: { Pages: 5 } });
      expect(await get(id, { type: "empty" })).toMatchObject({ "~ObjectID": id });
      await put("Failing", "xRestApi_BuildSerialization", [book], `run() { refuse(404, "not for you"); }`);
      expect(await send(demo, `/v1/object/${id}`)).toMatchObject({ status: 403, code: "404" });
    });

    test("a hook of answers cannot make them larger than answers may be", async () => {
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
      expect(await send(demo, `/v1/object/${writer}`)).toMatchObject({ status: 500, code: "710" });
      const created = await send(demo, `/v1/object/${author}`, "POST", { Name: "Bob" });
      expect([created.code, Object.keys(created.body.data)]).toEqual(["0", metaFields]);
    });

    test("a hook of answers that runs on ends within its limit, while others go on", async () => {
      const id = await create(book, { Title: "Notes" });
      await put("Endless", "xRestApi_BuildSerialization", [book], `run() { for (;;); }`, "timeout: 500,");
      const began = performance.now();
      const endless = send(demo, `/v1/object/${id}`).then((answer) => ({ answer, took: performance.now() - began }));
      for (let index = 0; index < 5; index += 1)
        expect(await send(demo, `/v1/object/${id}?serialization={"type":"empty"}`)).toMatchObject({ code: "0" });
      const { answer, took } = await endless;
      expect(answer).toMatchObject({ status: 500, code: "710" });
      expect(took).toBeLessThan(1_000);
    });

    test("a hook of lists narrows and orders what a query that names it means", async () => {
      const Note = crypto.randomUUID();
      const ids = [];
      for (const Pages of [30, 10, 20]) ids.push(await create(book, { Title: `${Pages}`, Pages, Note }));
      await put(
        "Thick",
        "xRestApi_FindObjects",
        [book],
        `run(set) {
        if (set.className !== "${book}" || set.where.Note !== "${Note}") return false;
        set.narrow({ Pages: { $gte: 20 } }); set.only(${JSON.stringify(ids)}); if (set.sort === undefined) set.order(["-Pages"]);
        return true;
      }`,
      );
      const titles = ({ body }: Answer) => body.data["~Elements"].map(({ Title }: { Title: string }) => Title);
      const found = await list(book, { macro: "Thick", where: { Note } }, "&perPage=2");
      expect([found.code, titles(found), found.body.data["~Count"]]).toEqual(["0", ["30", "20"], 2]);
      expect(titles(await list(book, { macro: "Thick", where: { Note }, sort: ["Pages"] }))).toEqual(["20", "30"]);
      expect(titles(await list(book, { macro: "Thick", where: { Note, Pages: 10 } }))).toEqual([]);
      for (const query of [
        { macro: "Thick", where: { Note: "other" } },
        { macro: "Nothing" },
        { macro: 5 },
        { macro: "__proto__" },
        { macro: "Thick", oids: ["?"] },
      ]) {
        expect(await list(book, query)).toMatchObject({ status: 400, code: "307" });
      }
      expect(await list(book, { macro: "Thick" })).toMatchObject({ status: 500, code: "710" });
      expect(await list(author, { macro: "Thick" })).toMatchObject({ status: 400, code: "307" });
      const bulk = await send(
        demo,
        `/v1/objects/${book}?query=${encoded({ macro: "Thick", where: { Note } })}`,
        "PATCH",
        { Note: "found" },
      );
      expect(bulk).toMatchObject({ code: "0", body: { data: { "~Count": 2 } } });
    });

    test("a hook of lists is asked by default where it says so, and whatever it asks for has the caller's rights", async () => {
      const [hidden] = await repositories().objects.insert([
        { className: book, attributes: { Title: "hidden", Note: "x" }, readers: [] },
      ]);
      const open = await create(book, { Title: "open", Note: "x" });
      await put(
        "Noted",
        "xRestApi_FindObjects",
        [book],
        `run(set) { set.narrow({ Note: "x" }); set.only(["${hidden?.id}", "${open}"]); return true; }`,
        "byDefault: true,",
      );
      const found = await send(demo, `/v1/objects/${book}`);
      expect(found.body.data).toMatchObject({ "~Count": 1, "~Elements": [{ "~ObjectID": open }] });
      await put("Noted", "xRestApi_FindObjects", [book], `run() { return 1; }`, "byDefault: true,");
      expect(await send(demo, `/v1/objects/${book}`)).toMatchObject({ status: 400, code: "307" });
      expect(await get(open)).toMatchObject({ Title: "open" });
      await put(
        "Noted",
        "xRestApi_FindObjects",
        [book],
        `run(set) { set.narrow({ Nothing: 1 }); return true; }`,
        "byDefault: true,",
      );
      expect(await send(demo, `/v1/objects/${book}`)).toMatchObject({ status: 500, code: "710" });
      await put(
        "Noted",
        "xRestApi_FindObjects",
        [book],
        `async run(set, { objects }) { await objects.create("${trace}", {}); return true; }`,
        "byDefault: true,",
      );
      const before = await count(trace);
      expect((await send(demo, `/v1/objects/${book}`)).code).not.toBe("0");
      expect(await count(trace)).toBe(before);
    });

    test("a hook before a save changes what is saved, or refuses it, one by one and in bulk", async () => {
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
      const created = await send(demo, `/v1/object/${book}`, "POST", { Note: "new" });
      expect(created).toMatchObject({ code: "0", body: { data: { Title: "Untitled", Note: "new" } } });
      const id = created.body.data["~ObjectID"];
      expect(await send(demo, `/v1/object/${id}`, "PATCH", { Title: " Title  " }, { "if-match": '"1"' })).toMatchObject(
        { code: "0", headers: { etag: '"2"' }, body: { data: { Title: "Title" } } },
      );
      expect(await send(demo, `/v1/object/${id}`, "PATCH", { Pages: -1 })).toMatchObject({ status: 400, code: "307" });
      expect(await send(demo, `/v1/object/${id}`, "PATCH", { Note: "broken" })).toMatchObject({
        status: 500,
        code: "710",
      });
      expect(await send(demo, `/v1/object/${id}`, "PATCH", {}, { "if-match": '"1"' })).toMatchObject({
        status: 500,
        code: "713",
      });
      expect(await stored(id)).toMatchObject({ version: 2, attributes: { Title: "Title", Note: "new" } });

      const Note = crypto.randomUUID();
      const ids = [];
      for (let index = 0; index < 5; index += 1) ids.push(await create(book, { Title: `${index}`, Note }));
      const all = (query: object, attributes: object) =>
        send(demo, `/v1/objects/${book}?query=${encoded(query)}`, "PATCH", attributes);
      expect(await all({ where: { Note } }, { Title: " same " })).toMatchObject({
        code: "0",
        body: { data: { "~Count": 5 } },
      });
      expect(await stored(ids[4] as string)).toMatchObject({ version: 2, attributes: { Title: "same" } });
      await send(demo, `/v1/object/${ids[2]}`, "PATCH", { Note: "final" });
      expect(await all({ oids: ids }, { Pages: 1 })).toMatchObject({ status: 500, code: "718" });
      expect(await stored(ids[0] as string)).toMatchObject({ version: 2 });
    });

    test("a hook before a save does nothing that the caller may not do", async () => {
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
        codes.push((await send(demo, `/v1/object/${id}`, "PATCH", { Name: "new" })).code);
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
      expect(await send(demo, `/v1/object/${id}`, "PATCH", { Name: "new" })).toMatchObject({
        code: "0",
        headers: { etag: '"3"' },
        body: { data: { "~ObjectID": id, Name: "[null,null]", Secret: null } },
      });
      expect(await stored(id)).toMatchObject({ version: 3, attributes: { Secret: word?.id as string } });

      await put("Groups", "beforeSave", ["User"], `run({ object }) { object.Groups = []; }`);
      const { "~ObjectID": user } = (
        await send(admin, `/v1/objects/User?query=${encoded({ where: { Name: "reader" } })}`)
      ).body.data["~Elements"][0];
      const answer = await send(demo, `/v1/object/${user}`, "PATCH", { Description: "x" });
      expect(answer.code).not.toBe("0");
    });

    test("hooks after a save belong to it: all of it is kept, or nothing", async () => {
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
          await send(demo, `/v1/objects/${trace}?query=${encoded({ where: { Text: { $like: `${id} %` } } })}`)
        ).body.data["~Elements"].map(({ Text }: { Text: string }) => Text);
      expect(await texts()).toEqual([`${id} new`]);
      expect(await send(demo, `/v1/object/${id}`, "PATCH", { Note: "no" })).toMatchObject({ status: 500, code: "718" });
      expect([await texts(), (await stored(id))?.version]).toEqual([[`${id} new`], 1]);
      await send(demo, `/v1/object/${id}`, "PATCH", { Note: "yes" });
      expect(await texts()).toEqual([`${id} new`, `${id} changed`]);

      await put(
        "Traces",
        "afterSave",
        [trace],
        `async run({ object }, { objects }) { await objects.create("${trace}", { Text: "more" }); }`,
      );
      const before = await count(trace);
      expect(await send(demo, `/v1/object/${trace}`, "POST", {})).toMatchObject({ status: 500, code: "710" });
      expect(await count(trace)).toBe(before);
    });

    test("hooks of deletions are told of all that goes, and may keep it", async () => {
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
      expect(await send(demo, `/v1/object/${writer}`, "DELETE")).toMatchObject({ status: 500, code: "718" });
      expect([await stored(writer), await stored(one), await stored(two)]).toMatchObject([
        { version: 1 },
        { version: 1 },
        { version: 1 },
      ]);
      await send(demo, `/v1/object/${two}`, "PATCH", { Note: null });
      expect(await send(demo, `/v1/object/${writer}`, "DELETE")).toMatchObject({ status: 200, code: "0" });
      const gone = await send(demo, `/v1/objects/${trace}?query=${encoded({ where: { Text: { $like: "gone %" } } })}`);
      const texts = gone.body.data["~Elements"]
        .map(({ Text }: { Text: string }) => Text)
        .filter((text: string) => [writer, one, two].some((id) => text.includes(` ${id} `)));
      expect(texts).toEqual([`gone ${writer} Ada`, `gone ${one} one`, `gone ${two} two`]);
    });

    test("the own user object of a log-in is built by hooks, and a hook that fails keeps nobody out", async () => {
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

    test("a hook that breaks while the server runs goes on to keep what it guards", async () => {
      await put("Guard", "beforeSave", [book], `run() {}`);
      expect(await send(demo, `/v1/object/${book}`, "POST", { Title: "before" })).toMatchObject({ code: "0" });
      await put("Guard", "beforeSave", [book], `run() { syntax error`);
      expect(await send(demo, `/v1/object/${book}`, "POST", { Title: "meanwhile" })).toMatchObject({
        status: 500,
        code: "710",
      });
      await put("Guard", "beforeSave", [book], `run() { refuse(718); }`);
      expect(await send(demo, `/v1/object/${book}`, "POST", { Title: "after" })).toMatchObject({ code: "718" });
      await remove("Guard");
      expect(await send(demo, `/v1/object/${book}`, "POST", { Title: "free" })).toMatchObject({ code: "0" });
    });

    test("hooks cannot be executed, and those that were never whole are none", async () => {
      await put("Quiet", "afterSave", [book], `run() {}`);
      await put("Broken", "beforeSave", [book], `run() { syntax error`);
      await put("Wrong", "beforeSomething", [book], `run() {}`);
      for (const name of ["Quiet", "Broken", "Wrong", "xRestApi_FindObjects"])
        expect(await send(admin, `/v1/execute/${name}`, "POST", {})).toMatchObject({ status: 500, code: "710" });
      expect(await send(demo, `/v1/object/${book}`, "POST", { Title: "saved" })).toMatchObject({ code: "0" });
    });
  });
}
