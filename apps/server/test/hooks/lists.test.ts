import { jest } from "@jest/globals";
import type { Answer } from "../client.ts";
import { hookFixture, hookEnvironment } from "./hook-fixture.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";

/** How hooks filter and sort lists. */
onEngines(
  "hooks of lists",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, repositories, send, encoded, put, book, author, trace, create, get, list, count } = hookFixture(
        server,
        mode,
      );
      test("a list hook filters and sorts a query that names it", async () => {
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
          sessions.demo,
          `/v1/objects/${book}?query=${encoded({ macro: "Thick", where: { Note } })}`,
          "PATCH",
          { Note: "found" },
        );
        expect(bulk).toMatchObject({ code: "0", body: { data: { "~Count": 2 } } });
      });

      test("a list hook runs by default when it declares so, and its query has the caller's rights", async () => {
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
        const found = await send(sessions.demo, `/v1/objects/${book}`);
        expect(found.body.data).toMatchObject({ "~Count": 1, "~Elements": [{ "~ObjectID": open }] });
        await put("Noted", "xRestApi_FindObjects", [book], `run() { return 1; }`, "byDefault: true,");
        expect(await send(sessions.demo, `/v1/objects/${book}`)).toMatchObject({ status: 400, code: "307" });
        expect(await get(open)).toMatchObject({ Title: "open" });
        await put(
          "Noted",
          "xRestApi_FindObjects",
          [book],
          `run(set) { set.narrow({ Nothing: 1 }); return true; }`,
          "byDefault: true,",
        );
        expect(await send(sessions.demo, `/v1/objects/${book}`)).toMatchObject({ status: 500, code: "710" });
        await put(
          "Noted",
          "xRestApi_FindObjects",
          [book],
          `async run(set, { objects }) { await objects.create("${trace}", {}); return true; }`,
          "byDefault: true,",
        );
        const before = await count(trace);
        expect((await send(sessions.demo, `/v1/objects/${book}`)).code).not.toBe("0");
        expect(await count(trace)).toBe(before);
      });
      test("a list may show the state of its admission, but after a list hook and in a multi request the current one", async () => {
        const position = {};
        const found: unknown[] = [];
        const { admission, objects } = repositories();
        const { admit } = admission;
        const { find } = objects;
        const spies = [
          jest.spyOn(admission, "admit").mockImplementation(async (input) => ({ ...(await admit(input)), position })),
          jest.spyOn(objects, "find").mockImplementation((query, visibility, ...page) => {
            found.push(visibility.position);
            return find(query, visibility, ...page);
          }),
        ];
        await put("Any", "xRestApi_FindObjects", [book], `run() { return true; }`);
        try {
          expect(await list(author, {})).toMatchObject({ code: "0" });
          expect(await list(book, { macro: "Any" })).toMatchObject({ code: "0" });
          const items = [{ method: "GET", path: `/v1/objects/${author}` }];
          expect(await send(sessions.demo, "/v1/multi", "POST", items)).toMatchObject({ code: "0" });
          expect(await send(sessions.demo, "/v1/multi?atomic=true", "POST", items)).toMatchObject({ code: "0" });
        } finally {
          for (const spy of spies) spy.mockRestore();
        }
        expect(found[0]).toBe(position);
        expect(found.slice(1)).toEqual([undefined, undefined]);
      });
    });
  },
  { environment: hookEnvironment },
);
