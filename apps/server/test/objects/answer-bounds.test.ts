import { type ClassDefinition, type ObjectId, seesAll } from "@sallyport/storage";
import { type Answer, callIn, type Sent } from "../client.ts";
import { testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

type Session = Awaited<ReturnType<typeof openSession>>;

/** Two of these fit into an answer, three do not. */
const large = "x".repeat(900_000);

/** The size limit of answers, in every mode and on every engine. */
onEngines(
  "objects at the size limit of answers",
  (server) => {
    const repositories = () => repositoriesOf(server());
    const send = (session: Session, path: string, method: Sent["method"] = "GET", body?: object): Promise<Answer> =>
      callIn(server(), session, path, { method, ...(body === undefined ? {} : { body }) } as Sent);
    const refused = {
      status: 400,
      code: "307",
      body: {
        status: {
          debugMessage: expect.stringMatching(/Request a smaller page, less depth or fewer fields\.$/),
        },
      },
    };

    describe.each(testedModes)("in mode %s", (mode) => {
      const className = `Volume_${mode}`;
      let demo: Session;
      let admin: Session;
      let volumes: ObjectId[];
      let shelf: ObjectId;

      beforeAll(async () => {
        [demo, admin] = [await openSession(server(), mode, "demo"), await openSession(server(), mode, "admin")];
        const { model, objects } = repositories();
        const attributes = [
          { name: "Name", type: "string" },
          { name: "Text", type: "string" },
          { name: "Next", type: "reference", target: className },
          { name: "Parts", type: "collection", target: className },
        ] as const;
        const definition: ClassDefinition = {
          name: className,
          base: null,
          attributes,
          rights: [{ group: "*", permissions: ["read", "create", "write"] }],
        };
        await model.change({ put: [definition] }, (await model.load()).generation);
        const insert = async (name: string, more: object = {}) =>
          (await objects.insert([{ className, attributes: { Name: name, Text: large }, ...more }]))[0]?.id as string;
        volumes = [await insert("a"), await insert("b")];
        await insert("hidden", { readers: [] });
        [shelf] = (
          await objects.insert([{ className, attributes: { Name: "shelf", Parts: [...volumes, await insert("c")] } }])
        ).map(({ id }) => id) as [string];
      });

      const list = (parameters: object, as = demo) =>
        send(
          as,
          `/v1/objects/${className}?${Object.entries(parameters)
            .map(
              ([name, value]) =>
                `${name}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`,
            )
            .join("&")}`,
        );
      const get = (id: string, serialization: object) =>
        send(demo, `/v1/object/${id}?serialization=${encodeURIComponent(JSON.stringify(serialization))}`);
      const names = ({ body }: Answer) => body.data["~Elements"].map(({ Name }: { Name: string }) => Name);
      const letters = { Name: { $in: ["a", "b", "c"] } };

      test("refuses pages that are too large in any form, and serves smaller ones", async () => {
        for (const query of [
          { where: letters },
          { where: letters, sort: ["Name"] },
          { where: letters, sort: ["-Text", "Name"] },
        ]) {
          expect(await list({ query, perPage: 3 })).toMatchObject(refused);
          expect(await list({ query, perPage: 3, count: "capped" })).toMatchObject(refused);
          const first = await list({ query, perPage: 2, serialization: { depth: 0 } });
          expect([first.code, names(first)]).toEqual(["0", ["a", "b"]]);
          const next = await list({ query, perPage: 2, page: 1 });
          expect([next.code, names(next)]).toEqual(["0", ["c"]]);
        }
        expect(await list({})).toMatchObject(refused);
        expect((await list({ perPage: 2 })).code).toBe("0");
      });

      test("serves pages of large objects whose texts are cut", async () => {
        const cut = { "~Cut": "xxxx", "~Length": 900_000 };
        for (const query of [
          { where: letters },
          { where: letters, sort: ["Name"] },
          { where: letters, sort: ["-Text", "-Name"] },
        ]) {
          const whole = await list({ query, serialization: { cut: 4 } });
          expect([whole.code, whole.body.data["~Count"]]).toEqual(["0", 3]);
          expect(whole.body.data["~Elements"]).toMatchObject([{ Text: cut }, { Text: cut }, { Text: cut }]);
          expect(names(whole).toSorted()).toEqual(["a", "b", "c"]);
          const first = await list({ query, perPage: 2, count: "none", serialization: { cut: 4 } });
          const next = await list({ query, perPage: 2, page: 1, serialization: { cut: 4 } });
          expect([...names(first), ...names(next)]).toEqual(names(whole));
        }
        expect((await list({ serialization: { cut: 4, depth: 0 } })).code).toBe("0");
        expect((await get(volumes[0] as string, { cut: 900_000 })).body.data.Text).toBe(large);
        const text = "\u{1f600}é".repeat(20);
        const [other] = await repositories().objects.insert([
          { className, attributes: { Name: "marked", Text: text } },
        ]);
        const marked = { where: { "~ObjectID": other?.id } };
        const cutTo = async (characters: number) =>
          (await list({ query: marked, serialization: { cut: characters } })).body.data["~Elements"][0].Text;
        expect([await cutTo(3), await cutTo(39), await cutTo(40)]).toEqual([
          { "~Cut": "\u{1f600}é\u{1f600}", "~Length": 40 },
          { "~Cut": text.slice(0, -1), "~Length": 40 },
          text,
        ]);
      });

      test("counts only what the caller can see", async () => {
        // The hidden one is between the second and the third.
        const query = { where: { Name: { $in: ["a", "b", "hidden"] } } };
        const seen = await list({ query });
        expect([seen.code, names(seen)]).toEqual(["0", ["a", "b"]]);
        expect(await list({ query }, admin)).toMatchObject(refused);
      });

      test("counts an object every time that it is written, and only what is written of it", async () => {
        const City = crypto.randomUUID();
        const ids = await repositories().objects.insert(
          Array.from({ length: 5 }, () => ({
            className,
            attributes: { Name: City, Next: volumes[0] as string },
            links: { Next: [volumes[0] as string] },
          })),
        );
        const query = { where: { Name: City } };
        expect(await list({ query })).toMatchObject(refused);
        expect(await list({ query, serialization: { type: "custom", fields: ["Name", "Next"] } })).toMatchObject(
          refused,
        );
        for (const serialization of [
          { depth: 0 },
          { type: "empty" },
          { type: "oid" },
          { type: "custom", fields: ["Name", "Next.Name"] },
        ]) {
          expect(await list({ query, serialization })).toMatchObject({ code: "0", body: { data: { "~Count": 5 } } });
        }
        expect(await list({ query, perPage: 2 })).toMatchObject({
          code: "0",
          body: { data: { "~Elements": [{ Next: { Text: large } }, { Next: { Text: large } }] } },
        });
        expect(await get(ids[0]?.id as string, { depth: 1 })).toMatchObject({
          code: "0",
          body: { data: { Next: { Name: "a" } } },
        });
      });

      test("returns any single object, and the requested part of collections", async () => {
        expect(await get(volumes[0] as string, {})).toMatchObject({ code: "0", body: { data: { Text: large } } });
        expect(await get(shelf, {})).toMatchObject(refused);
        expect(await get(shelf, { depth: 0 })).toMatchObject({
          code: "0",
          body: {
            data: {
              Parts: { "~Count": 3, "~Elements": [{ "~ObjectID": volumes[0] }, { "~ObjectID": volumes[1] }, {}] },
            },
          },
        });
        const paged = { type: "custom", fields: [{ name: "Parts", perPage: 2 }] };
        expect(await get(shelf, paged)).toMatchObject({
          code: "0",
          body: { data: { Parts: { "~Count": 3, "~Elements": [{ Name: "a" }, { Name: "b" }] } } },
        });
      });

      test("confirms a completed write, for any size of its answer", async () => {
        const { "~Elements": parts } = (await get(shelf, { depth: 0 })).body.data.Parts;
        const Parts = parts.map((part: { "~ObjectID": string }) => part["~ObjectID"]);
        const created = await send(demo, `/v1/object/${className}`, "POST", { Name: "new", Parts });
        const metaFields = ["~ClassName", "~ObjectID", "~UUID", "~StoreTime"];
        expect([created.status, created.code, created.headers["etag"], Object.keys(created.body.data)]).toEqual([
          200,
          "0",
          '"1"',
          metaFields,
        ]);
        const id = created.body.data["~ObjectID"];
        const [stored] = await repositories().objects.get([id], seesAll);
        expect(stored?.attributes).toEqual({ Name: "new", Parts });
        const changed = await send(demo, `/v1/object/${id}`, "PATCH", { Name: "newer" });
        expect([changed.status, changed.code, changed.headers["etag"], Object.keys(changed.body.data)]).toEqual([
          200,
          "0",
          '"2"',
          metaFields,
        ]);
        const uuids = (await repositories().objects.outlines(Parts, seesAll)).map(({ uuid }) => ({
          "~UUID": uuid.toUpperCase(),
        }));
        expect(await send(demo, `/v1/object/${id}?serialization={"depth":0}`, "PATCH", { Parts: uuids })).toMatchObject(
          {
            code: "0",
            body: { data: { Parts: { "~Count": 3 } } },
          },
        );
        expect(await send(demo, `/v1/object/${id}`, "PATCH", { Parts: [...Parts, "ZZZZZZZ"] })).toMatchObject({
          code: "307",
          body: { status: { debugMessage: expect.stringMatching(/Parts\/3/) } },
        });
      });

      test("finds and changes objects by references to large ones", async () => {
        const uuids = (await repositories().objects.outlines(volumes, seesAll)).map(({ uuid }) => uuid);
        const where = { Parts: { $contains: uuids[0] } };
        expect(
          await list({ query: { where: { Next: { $in: [...uuids, ...volumes] } } }, serialization: { type: "oid" } }),
        ).toMatchObject({ code: "0" });
        expect((await list({ query: { where }, serialization: { type: "oid" } })).body.data["~Count"]).toBeGreaterThan(
          0,
        );
        const answer = await send(
          demo,
          `/v1/objects/${className}?query=${encodeURIComponent(JSON.stringify({ where: letters }))}`,
          "PATCH",
          { Next: shelf },
        );
        expect(answer).toMatchObject({ code: "0", body: { data: { "~Count": 3 } } });
      });
    });
  },
  { environment: objectEnvironment },
);
