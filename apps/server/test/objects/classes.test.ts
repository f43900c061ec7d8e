import { type Answer, callIn, type Sent } from "../client.ts";
import { testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

const structure = "/v1/model/structure";
const text = (name: string) => ({ name, type: "string" });
const where = (filter: object) => `query=${encodeURIComponent(JSON.stringify({ where: filter }))}`;

/** How classes are defined, changed and removed, and the effects on objects, in every mode and on every engine. */
onEngines(
  "objects with a changing class",
  (server) => {
    const send = (
      session: Session,
      method: Sent["method"],
      path: string,
      body?: object,
      headers: Sent["headers"] = {},
    ): Promise<Answer> =>
      callIn(server(), session, path, { method, headers, ...(body === undefined ? {} : { body }) } as Sent);

    describe.each(testedModes)("in mode %s", (mode) => {
      let admin: Session;
      let reader: Session;
      /** Id of the reader's group. */
      let readers: string;
      let adminId: string;
      const named = (name: string) => `${name}Of${mode}`;
      beforeAll(async () => {
        admin = await openSession(server(), mode, "admin");
        reader = await openSession(server(), mode, "reader");
        const groups = await send(admin, "GET", `/v1/objects/UserGroup?${where({ Name: "Readers" })}`);
        readers = groups.body.data["~Elements"][0]["~ObjectID"];
        const users = await send(admin, "GET", `/v1/objects/User?${where({ Name: "admin" })}`);
        adminId = users.body.data["~Elements"][0]["~ObjectID"];
      });

      const put = (name: string, definition: object, headers?: Sent["headers"]) =>
        send(admin, "PUT", `${structure}/${name}`, definition, headers);
      const remove = (name: string, headers?: Sent["headers"]) =>
        send(admin, "DELETE", `${structure}/${name}`, undefined, headers);
      const mustPut = async (name: string, definition: object): Promise<Answer> => {
        const answer = await put(name, definition);
        expect({ code: answer.code, body: answer.code === "0" ? "" : answer.body }).toEqual({ code: "0", body: "" });
        return answer;
      };
      const classOf = async (name: string, session = admin) => {
        const { body } = await send(session, "GET", structure);
        return body.data.classes.find((each: { name: string }) => each.name === name);
      };
      const create = async (className: string, attributes: object): Promise<string> => {
        const { code, body } = await send(admin, "POST", `/v1/object/${className}`, attributes);
        if (code !== "0") throw new Error(`Creating a ${className} answers ${code}.`);
        return body.data["~ObjectID"];
      };
      /** The audit events after the given one. */
      const auditEvents = async (after = 0) =>
        (await server().databases.get("")?.storage.repositories.audit.read(after, 100_000)) ?? [];
      const codeOf = (answer: Answer) => `${answer.status}/${answer.code}`;

      test("audits who created, changed and removed a class", async () => {
        const name = named("Audited");
        const before = (await auditEvents()).at(-1)?.sequence ?? 0;
        await mustPut(name, { attributes: [text("Title")] });
        await mustPut(name, { attributes: [text("Title")] });
        await mustPut(name, { attributes: [] });
        expect(codeOf(await send(reader, "PUT", `${structure}/${name}`, { attributes: [] }))).toBe("403/404");
        const removed = await remove(name);
        expect(codeOf(await remove(name))).toBe("404/304");
        const events = (await auditEvents(before)).filter(({ className }) => className !== null);
        expect(events.map(({ type, className }) => [type, className])).toEqual(
          ["class.created", "class.changed", "class.removed"].map((type) => [type, name]),
        );
        const title = { type: "string" };
        expect(events.map(({ changes }) => changes)).toEqual([
          [{ name: "attributes.Title", before: null, after: title }],
          [{ name: "attributes.Title", before: title, after: null }],
          [],
        ]);
        const { sequence: _sequence, at: _at, since: _since, ...last } = events[2] as (typeof events)[number];
        expect(last).toEqual({
          type: "class.removed",
          className: name,
          macroName: null,
          providerName: null,
          changes: [],
          outcome: 0,
          attempts: 1,
          requestId: removed.headers["x-request-id"],
          appKeyId: expect.any(String),
          actorId: adminId,
          subjectId: null,
          address: expect.stringContaining("127.0.0.1"),
          appNames: [expect.any(String)],
        });
      });

      test("loses no values in the recycle bin", async () => {
        const name = named("Parcel");
        const [title, weight] = [
          { ...text("Title"), mandatory: true },
          { name: "Weight", type: "number" },
        ];
        await mustPut(name, { attributes: [title, weight] });
        const id = await create(name, { Title: "a", Weight: 7 });
        expect((await send(admin, "DELETE", `/v1/object/${id}?moveToRecycler=true`)).code).toBe("0");
        const restore = () => send(admin, "POST", `/v1/object/${id}/restore`);

        expect(codeOf(await remove(name))).toBe("400/307");
        for (const attributes of [
          [title],
          [title, text("Weight")],
          [title, weight, { ...text("Needed"), mandatory: true }],
        ]) {
          await mustPut(name, { attributes });
          expect(codeOf(await restore())).toBe("400/307");
          expect(codeOf(await send(admin, "GET", `/v1/object/${id}`))).toBe("410/609");
        }
        await mustPut(name, { attributes: [title, { ...weight, indexed: true }] });
        expect((await restore()).body.data).toMatchObject({ Title: "a", Weight: 7 });
        expect(codeOf(await remove(name))).toBe("400/307");
        expect((await send(admin, "DELETE", `/v1/object/${id}`)).code).toBe("0");
        expect((await remove(name)).code).toBe("0");
      });

      test("creates a class, shows it, and leaves it unchanged when it is put again", async () => {
        const name = named("Ticket");
        const definition = {
          base: null,
          attributes: [
            { ...text("Title"), mandatory: true, indexed: true },
            { name: "Customer", type: "reference", target: "Customer", onDelete: "cascade" },
          ],
          rights: [{ group: readers, permissions: ["read"] }],
        };
        const created = await mustPut(name, definition);
        const own = { mandatory: false, indexed: false, inherited: false };
        const state = expect.stringMatching(/^(?:ready|building)$/);
        const shown = {
          name,
          base: null,
          builtIn: false,
          attributes: [
            { ...own, ...text("Title"), mandatory: true, indexed: true, indexState: state },
            { ...own, name: "Customer", type: "reference", target: "Customer", onDelete: "cascade" },
          ],
          permissions: ["read", "create", "write", "delete"],
          rights: definition.rights,
        };
        expect(created.body.data).toEqual(shown);
        expect(await classOf(name)).toEqual(shown);
        const { rights: _rights, ...seen } = shown;
        expect(await classOf(name, reader)).toEqual({ ...seen, permissions: ["read"] });
        expect((await mustPut(name, definition)).headers["etag"]).toBe(created.headers["etag"]);
      });

      test("has a title that leads to a value, for those who may read it", async () => {
        const [name, owner] = [named("Titled"), named("Owner")];
        const forReaders = [{ group: readers, permissions: ["read"] }];
        const reference = { name: "Owner", type: "reference", target: owner };
        await mustPut(owner, { title: "Name", attributes: [text("Name"), text("Other")] });
        const created = await mustPut(name, {
          title: "Owner.Name",
          attributes: [text("Title"), reference],
          rights: forReaders,
        });
        expect(created.body.data.title).toBe("Owner.Name");
        expect((await classOf(name, reader)).title).toBeUndefined();
        expect(codeOf(await put(owner, { attributes: [text("Other")] }))).toBe("400/307");

        await mustPut(owner, { title: "Name", attributes: [text("Name")], rights: forReaders });
        expect([(await classOf(name, reader)).title, (await classOf(owner, reader)).title]).toEqual([
          "Owner.Name",
          "Name",
        ]);
        await mustPut(name, { title: "Title", attributes: [text("Title"), reference], rights: forReaders });
        expect(codeOf(await put(name, { title: "Title", attributes: [reference] }))).toBe("400/307");
        await mustPut(name, { attributes: [text("Title"), reference], rights: forReaders });
        expect(await classOf(name)).not.toHaveProperty("title");
        await mustPut(owner, { attributes: [text("Other")] });
      });

      test("removes a class once nothing needs it", async () => {
        const [base, below] = [named("Base"), named("Below")];
        await mustPut(base, {});
        await mustPut(below, { base, attributes: [{ name: "Next", type: "reference", target: below }] });
        expect(codeOf(await remove(base))).toBe("400/307");
        const removed = await remove(below);
        expect({ code: removed.code, data: removed.body.data, etag: removed.headers["etag"] }).toEqual({
          code: "0",
          data: {},
          etag: expect.stringMatching(/^"\d+"$/),
        });
        expect(codeOf(await remove(below))).toBe("404/304");
        expect((await remove(base)).code).toBe("0");
        expect(codeOf(await send(admin, "GET", `/v1/objects/${below}`))).toBe("404/304");
        expect(codeOf(await send(admin, "POST", `/v1/object/${below}`, {}))).toBe("404/304");
      });

      test("changes a class at an expected version only", async () => {
        const name = named("Expected");
        const before = await send(admin, "GET", structure);
        const created = await put(name, {}, { "if-match": before.headers["etag"] as string });
        expect(created.code).toBe("0");
        expect(
          codeOf(await put(name, { attributes: [text("New")] }, { "if-match": before.headers["etag"] as string })),
        ).toBe("500/713");
        expect(
          (await put(name, { attributes: [text("New")] }, { "if-match": `"1", ${created.headers["etag"]}` })).code,
        ).toBe("0");
        expect(codeOf(await remove(name, { "if-match": created.headers["etag"] as string }))).toBe("500/713");
        expect((await remove(name, { "if-match": "*" })).code).toBe("0");
      });

      test("grants and revokes rights from the next request on", async () => {
        const name = named("Secret");
        await mustPut(name, { attributes: [text("Title")] });
        const id = await create(name, { Title: "hidden" });
        const seen = async () => [
          codeOf(await send(reader, "GET", `/v1/objects/${name}`)),
          codeOf(await send(reader, "GET", `/v1/object/${id}`)),
          (await classOf(name, reader)) !== undefined,
        ];
        expect(await seen()).toEqual(["404/304", "404/304", false]);
        for (let round = 0; round < 3; round += 1) {
          await mustPut(name, { attributes: [text("Title")], rights: [{ group: readers, permissions: ["read"] }] });
          expect(await seen()).toEqual(["200/0", "200/0", true]);
          await mustPut(name, {
            attributes: [text("Title")],
            rights: [{ group: readers, permissions: ["create", "write", "delete"] }],
          });
          expect(await seen()).toEqual(["404/304", "404/304", false]);
        }
      });

      test("has new attributes at once, also in subclasses", async () => {
        const [base, below] = [named("Vehicle"), named("Lorry")];
        await mustPut(base, { attributes: [text("Plate")] });
        await mustPut(below, { base, attributes: [{ name: "Load", type: "number" }] });
        const id = await create(below, { Plate: "W 1", Load: 7 });
        expect(codeOf(await send(admin, "PATCH", `/v1/object/${id}`, { Colour: "red" }))).toBe("400/307");
        await mustPut(base, { attributes: [text("Plate"), text("Colour")] });
        expect((await send(admin, "PATCH", `/v1/object/${id}`, { Colour: "red" })).code).toBe("0");
        const listed = await send(admin, "GET", `/v1/objects/${base}?${where({ Colour: "red" })}`);
        expect(listed.body.data["~Elements"]).toMatchObject([
          { "~ClassName": below, "~ObjectID": id, Plate: "W 1", Load: 7, Colour: "red" },
        ]);
      });

      test("refuses a loss of values until they are removed", async () => {
        const name = named("Paper");
        const attributes = [
          text("Title"),
          { name: "Pages", type: "number" },
          { name: "Author", type: "reference", target: "Employee" },
        ];
        await mustPut(name, { attributes });
        const id = await create(name, { Title: "a", Pages: 5 });
        await create(name, { Title: "b" });
        expect(codeOf(await put(name, { attributes: attributes.slice(0, 1) }))).toBe("400/307");
        expect(codeOf(await put(name, { attributes: [text("Title"), text("Pages")] }))).toBe("400/307");
        expect(
          codeOf(
            await put(name, {
              attributes: [
                { ...text("Title"), mandatory: true },
                { name: "Pages", type: "number", mandatory: true },
              ],
            }),
          ),
        ).toBe("400/307");
        expect(codeOf(await remove(name))).toBe("400/307");
        expect((await send(admin, "GET", `/v1/object/${id}`)).body.data).toMatchObject({ Title: "a", Pages: 5 });
        expect((await send(admin, "PATCH", `/v1/object/${id}`, { Pages: null })).code).toBe("0");
        await mustPut(name, { attributes: [{ ...text("Title"), mandatory: true }, text("Pages")] });
        expect((await send(admin, "PATCH", `/v1/object/${id}`, { Pages: "five" })).code).toBe("0");
        expect(codeOf(await send(admin, "POST", `/v1/object/${name}`, { Pages: "five" }))).toBe("400/307");
      });

      test("admits no write between the check of a class and its change", async () => {
        for (let round = 0; round < 4; round += 1) {
          const name = named(`Race${round}`);
          await mustPut(name, { attributes: [text("Title")] });
          const creating = Array.from({ length: 8 }, (_, index) =>
            send(admin, "POST", `/v1/object/${name}`, index % 2 === 0 ? {} : { Title: "a" }),
          );
          const strict = await put(name, { attributes: [{ ...text("Title"), mandatory: true }] });
          const codes = (await Promise.all(creating)).map(({ code }) => code);
          const without = await send(admin, "GET", `/v1/objects/${name}?${where({ Title: null })}`);
          const lacking = without.body.data["~Count"];
          expect(lacking).toBe(codes.filter((code, index) => index % 2 === 0 && code === "0").length);
          expect(codes.filter((_, index) => index % 2 === 1)).toEqual(["0", "0", "0", "0"]);
          if (strict.code === "0") expect(lacking).toBe(0);
          else expect({ code: codeOf(strict), found: lacking > 0 }).toEqual({ code: "400/307", found: true });
        }
      });

      test("keeps all concurrent class definitions", async () => {
        const names = Array.from({ length: 6 }, (_, index) => named(`Many${index}`));
        const codes = (await Promise.all(names.map((name) => put(name, { attributes: [text("Title")] })))).map(
          ({ code }) => code,
        );
        expect(codes).toEqual(names.map(() => "0"));
        const { body } = await send(admin, "GET", structure);
        expect(body.data.classes.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names));
        expect((await Promise.all(names.map((name) => remove(name)))).map(({ code }) => code)).toEqual(codes);
      });

      test("builds the indexes of a class by itself, and query results stay the same", async () => {
        const name = named("Indexed");
        const attributes = [text("Title"), { name: "Size", type: "number" }];
        await mustPut(name, { attributes });
        const titles = ["b", "a".repeat(10_000), "a".repeat(9_999), "", "\u{1f469}".repeat(2_500), "\ufb01"];
        for (const [index, title] of titles.entries()) await create(name, { Title: title, Size: index });
        await create(name, {});
        const found = async () => {
          const sorted = await send(
            admin,
            "GET",
            `/v1/objects/${name}?query=${encodeURIComponent('{"sort":["-Title"]}')}`,
          );
          const equal = await send(admin, "GET", `/v1/objects/${name}?${where({ Title: "\ufb01" })}`);
          const range = await send(admin, "GET", `/v1/objects/${name}?${where({ Size: { $gte: 3 } })}`);
          return [sorted, equal, range].map(({ body }) =>
            body.data["~Elements"].map((each: { Size?: number }) => each.Size),
          );
        };
        const before = await found();
        expect(before).toEqual([[4, 5, 0, 1, 2, 3, undefined], [5], [3, 4, 5]]);
        await mustPut(name, { attributes: attributes.map((attribute) => ({ ...attribute, indexed: true })) });
        for (let states: unknown[] = []; states.some((state) => state !== "ready") || states.length === 0; ) {
          states = (await classOf(name)).attributes.map(({ indexState }: { indexState: string }) => indexState);
        }
        expect(await found()).toEqual(before);
        await mustPut(name, { attributes });
        expect((await classOf(name)).attributes[0]).toMatchObject({ indexed: false });
        expect(await found()).toEqual(before);
      });
    });
  },
  { environment: objectEnvironment },
);
