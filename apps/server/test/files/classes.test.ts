import { type ClassDefinition, seesAll } from "@sallyport/storage";
import { administrationOf, type Database, collectFiles } from "@sallyport/core";
import { callIn, multiResults } from "../client.ts";
import { form, formType, type Sender, senderOf } from "./file-sender.ts";
import { openSession } from "../open-session.ts";
import { onFileServers } from "./on-file-servers.ts";
import { testedModes } from "../modes.ts";

type User = "demo" | "reader" | "admin";

/** Classes whose objects have bytes, and attributes that refer to files, in one mode. */
await onFileServers("classes of files", (server) => {
  describe.each(testedModes)("in mode %s", (mode) => {
    const sessions = {} as Record<User, Awaited<ReturnType<typeof openSession>>>;
    const as = (user: User): Sender => senderOf(server, () => sessions[user]);
    const [demo, reader, admin] = [as("demo"), as("reader"), as("admin")];
    const database = () => server().databases.get("") as Database;
    const named = (name: string) => `${name}_${mode}`;
    const define = async (...put: ClassDefinition[]) => {
      const { model } = database().storage.repositories;
      await model.change({ put }, (await model.load()).generation);
    };

    /** `demo` may do everything, and `reader` read. */
    const rightsOfDemo = async () => {
      const { classes } = await database().storage.repositories.model.load();
      return classes.find(({ name }) => name === "Customer")?.rights ?? [];
    };
    const idOfAdmin = async (): Promise<string> => {
      const query = encodeURIComponent(JSON.stringify({ where: { Name: "admin" } }));
      return (await admin("GET", `/v1/objects/User?query=${query}`)).data["~Elements"][0]["~ObjectID"];
    };

    beforeAll(async () => {
      for (const user of ["demo", "reader", "admin"] as const) sessions[user] = await openSession(server(), mode, user);
    });

    const store = async (send: Sender = demo, query = "", bytes: Buffer | string = "abc"): Promise<string> =>
      (await send("POST", `/v1/uploadFile${query}`, form(bytes), formType)).data["~ObjectID"];
    const upload = async (send: Sender = demo): Promise<string> => {
      const { uploadId } = (await send("GET", "/v1/uploadFile")).data;
      await send("POST", `/v1/uploadFile/${uploadId}`, form("uploaded"), formType);
      return `/v1/uploadFile/${uploadId}`;
    };
    const uuidOf = async (id: string) =>
      (await database().storage.repositories.objects.get([id], seesAll))[0]?.uuid as string;
    const textOf = async (id: string, send: Sender = demo) => {
      const { code, bytes } = await send("GET", `/v1/file/${id}`);
      return code ?? bytes.toString();
    };

    describe("images and subclasses", () => {
      const [photo, plan, secret] = [named("Photo"), named("Plan"), named("Secret")];
      beforeAll(async () => {
        const rights = await rightsOfDemo();
        await define(
          { name: photo, base: "Image", attributes: [{ name: "Name", type: "string" }], rights },
          { name: plan, base: "File", attributes: [{ name: "Scale", type: "number" }], rights },
          { name: named("Fixed"), base: "File", attributes: [], rights: [{ group: "*", permissions: ["read"] }] },
          {
            name: named("Strict"),
            base: "Image",
            attributes: [{ name: "Must", type: "string", mandatory: true }],
            rights,
          },
          { name: secret, base: "File", attributes: [], rights: [] },
        );
      });

      test("an image is uploaded in one request or several, shows meta-fields only, and is downloaded", async () => {
        const stored = await admin("POST", "/v1/uploadFile?className=Image", form("one"), formType);
        expect(stored.data).toEqual({
          "~ClassName": "Image",
          "~ObjectID": expect.any(String),
          "~UUID": expect.any(String),
          "~StoreTime": expect.any(String),
        });
        const finished = await admin("PATCH", `${await upload(admin)}?className=Image`);
        expect(Object.keys(finished.data)).toEqual(Object.keys(stored.data));
        const download = await admin("GET", `/v1/file/${finished.data["~UUID"]}`);
        expect([download.status, download.bytes.toString()]).toEqual([200, "uploaded"]);
        if (mode !== "secure") expect(download.headers.get("content-type")).toBe("application/pdf");
        expect((await admin("GET", `/v1/object/${stored.data["~ObjectID"]}`)).data).toEqual(stored.data);
      });

      test("an image without bytes is not a file until it gets them", async () => {
        const created = await admin("POST", "/v1/object/Image", {});
        const id = created.data["~ObjectID"];
        expect(await textOf(id, admin)).toBe("304");
        const replaced = await admin("PATCH", `${await upload(admin)}?replaceOID=${id}`);
        expect([replaced.code, replaced.headers.get("etag")]).toEqual(["0", '"2"']);
        expect(replaced.data).toEqual({ ...created.data, "~StoreTime": expect.any(String) });
        expect(await textOf(id, admin)).toBe("uploaded");
      });

      test("objects of subclasses have bytes, and an image keeps its own attributes", async () => {
        const image = await store(demo, `?className=${photo}`);
        expect((await demo("PATCH", `/v1/object/${image}`, { Name: "Our house" })).data).toMatchObject({
          "~ClassName": photo,
          Name: "Our house",
        });
        expect((await demo("PATCH", `${await upload()}?replaceOID=${image}`)).data).toMatchObject({
          Name: "Our house",
        });
        expect(await textOf(image)).toBe("uploaded");
        const file = (await demo("POST", `/v1/uploadFile?className=${plan}`, form(), formType)).data;
        expect(file).toMatchObject({ "~ClassName": plan, Name: "report.pdf", Size: 3 });
        expect((await demo("PATCH", `/v1/object/${file["~ObjectID"]}`, { Scale: 50 })).code).toBe("0");
        expect((await demo("PATCH", `/v1/object/${file["~ObjectID"]}`, { Size: 1 })).code).toBe("404");
        expect((await demo("POST", `/v1/object/${plan}`, { Name: "b" })).code).toBe("404");
      });

      test.each([
        ["of no class", "Nothing", "304"],
        ["of a malformed class", "../File", "304"],
        ["of a class without bytes", "Customer", "304"],
        ["of a class that the caller cannot read", secret, "304"],
        ["of a class that the caller cannot create", named("Fixed"), "404"],
        ["with a mandatory attribute", named("Strict"), "307"],
        ["of an empty class", "", "307"],
        ["of a class with a long name", "x".repeat(101), "307"],
      ])("an object %s is not created", async (_title, className, code) => {
        const query = `?className=${encodeURIComponent(className)}`;
        expect((await demo("POST", `/v1/uploadFile${query}`, form(), formType)).code).toBe(code);
        const path = await upload();
        expect((await demo("PATCH", path + query)).code).toBe(code);
        expect((await demo("PATCH", path)).code).toBe("0");
      });

      test("an object to replace keeps its class", async () => {
        const id = await store();
        const path = await upload();
        expect((await demo("PATCH", `${path}?replaceOID=${id}&className=File`)).code).toBe("307");
        expect((await demo("PATCH", `${path}?replaceOID=${id}`)).data).toMatchObject({ "~ClassName": "File", Size: 8 });
      });
    });

    describe("attributes of type file", () => {
      const [letter, clearing, strict, dependent] = [
        named("Letter"),
        named("Clear"),
        named("Refuse"),
        named("Cascade"),
      ];
      const enclosure = { name: "Scan", type: "file" } as const;
      let customer: string;
      beforeAll(async () => {
        const attributes = [{ name: "Name", type: "string" }, enclosure] as const;
        const rights = await rightsOfDemo();
        await define(
          { name: letter, base: null, attributes, rights },
          { name: clearing, base: null, attributes, rights },
          { name: strict, base: null, attributes: [{ ...enclosure, mandatory: true }], rights },
          { name: dependent, base: null, attributes: [{ ...enclosure, onDelete: "cascade" }], rights },
        );
        customer = (await demo("POST", "/v1/object/Customer", { Name: "Ada" })).data["~ObjectID"];
      });
      const create = async (className: string, attributes: object): Promise<string> =>
        (await demo("POST", `/v1/object/${className}`, attributes)).data["~ObjectID"];
      const scanOf = async (id: string) => (await demo("GET", `/v1/object/${id}`)).data.Scan;

      test("take an id, a UUID, an object or null, and are answered like references", async () => {
        const [file, other] = [await store(), await store()];
        const id = await create(letter, { Scan: file });
        const whole = (await demo("GET", `/v1/object/${file}`)).data;
        const { "~UUID": uuid, ...nested } = whole;
        expect(await scanOf(id)).toEqual(nested);
        for (const value of [
          await uuidOf(other),
          { "~ObjectID": other },
          { "~UUID": (await uuidOf(other)).toUpperCase() },
        ])
          expect((await demo("PATCH", `/v1/object/${id}`, { Scan: value })).data.Scan["~ObjectID"]).toBe(other);
        expect((await demo("PATCH", `/v1/object/${id}`, { Scan: null })).data.Scan).toBeNull();
        const fields = encodeURIComponent('{"type":"custom","fields":["Scan.Name"]}');
        await demo("PATCH", `/v1/object/${id}`, { Scan: uuid });
        expect((await demo("GET", `/v1/object/${id}?serialization=${fields}`)).data.Scan).toMatchObject({
          "~ObjectID": file,
          Name: "report.pdf",
        });
        const empty = encodeURIComponent('{"depth":0}');
        expect((await demo("GET", `/v1/object/${id}?serialization=${empty}`)).data.Scan).not.toHaveProperty("Name");
      });

      test("are written by lists, multi requests and macros", async () => {
        const [file, name] = [await store(), crypto.randomUUID()];
        const ids = [await create(letter, { Name: name }), await create(letter, { Name: name })];
        const query = encodeURIComponent(JSON.stringify({ where: { Name: name } }));
        expect((await demo("PATCH", `/v1/objects/${letter}?query=${query}`, { Scan: file })).data).toEqual({
          "~Count": 2,
        });
        for (const id of ids) expect((await scanOf(id))["~ObjectID"]).toBe(file);
        const items = [
          { method: "PATCH", path: `/v1/object/${ids[0]}`, data: { Scan: null } },
          { method: "POST", path: `/v1/object/${letter}`, data: { Scan: await uuidOf(file) } },
          { method: "PATCH", path: `/v1/object/${ids[1]}`, data: { Scan: customer } },
        ];
        const { body } = await callIn(server(), sessions.demo, "/v1/multi", { method: "POST", body: items });
        const results = multiResults(body.data).map(({ result }) => result.Scan?.["~ObjectID"] ?? result);
        expect(results).toEqual([expect.objectContaining({ Scan: null }), file, 307]);
        const steps = [
          ["create", letter, { Scan: file }],
          ["update", ids[0], { Scan: await uuidOf(file) }],
          ["update", ids[0], { Scan: customer }],
        ];
        const { data } = await demo("POST", "/v1/execute/Steps", { steps });
        expect(data.map((each: { version?: number }) => each.version ?? each)).toEqual([1, 4, 307]);
        expect((await scanOf(ids[0] as string))["~ObjectID"]).toBe(file);
      });

      test("refuse what references refuse", async () => {
        const [deleted, recycled, hidden, file] = [await store(), await store(), await store(), await store()];
        await demo("DELETE", `/v1/object/${deleted}`);
        await demo("DELETE", `/v1/object/${recycled}?moveToRecycler=true`);
        const readers = { readers: [await idOfAdmin()] };
        await admin("PUT", `/v1/object/${hidden}/readers`, readers);
        const image = (await admin("POST", "/v1/object/Image", {})).data["~ObjectID"];
        const id = await create(letter, { Scan: file });
        const list = `/v1/objects/${letter}?query=${encodeURIComponent(JSON.stringify({ oids: [id] }))}`;
        const unknown = ["", "scan.pdf", "ZZZZZZ", crypto.randomUUID(), customer, deleted, recycled, hidden, image];
        const malformed = [7, true, [file], {}, { "~ObjectID": file, Name: "b" }];
        for (const value of [...unknown, ...malformed, { "~ClassName": "Image", "~ObjectID": file }]) {
          const codes = [
            (await demo("POST", `/v1/object/${letter}`, { Scan: value })).code,
            (await demo("PATCH", `/v1/object/${id}`, { Scan: value })).code,
            (await demo("PATCH", list, { Scan: value })).code,
          ];
          expect({ value, codes }).toEqual({ value, codes: ["307", "307", "307"] });
        }
        expect((await scanOf(id))["~ObjectID"]).toBe(file);
        expect((await demo("POST", `/v1/object/${strict}`, {})).code).toBe("307");
        expect((await demo("POST", `/v1/object/${strict}`, { Scan: null })).code).toBe("307");
      });

      test("are filtered by file, by its absence, and by the attributes of the file", async () => {
        const [file, other] = [await store(), await store(demo, "", "a longer text")];
        const [one, two, three] = [
          await create(clearing, { Scan: file }),
          await create(clearing, { Scan: other }),
          await create(clearing, {}),
        ];
        const found = async (where: object) => {
          const query = encodeURIComponent(JSON.stringify({ where, sort: ["~ObjectID"] }));
          const { code, data } = await demo("GET", `/v1/objects/${clearing}?query=${query}`);
          return data?.["~Elements"].map((each: { "~ObjectID": string }) => each["~ObjectID"]) ?? code;
        };
        expect(await found({ Scan: file })).toEqual([one]);
        expect(await found({ Scan: await uuidOf(other) })).toEqual([two]);
        expect(await found({ Scan: { $in: [file, { "~ObjectID": other }] } })).toEqual([one, two]);
        expect(await found({ Scan: null })).toEqual([three]);
        expect(await found({ Scan: { $exists: true } })).toEqual([one, two]);
        expect(await found({ "Scan.Size": { $gt: 3 } })).toEqual([two]);
        expect(await found({ Scan: { $gt: file } })).toBe("307");
        expect(await found({ "Scan.Nothing": 1 })).toBe("307");
        await demo("DELETE", `/v1/object/${other}?moveToRecycler=true`);
        expect(await found({ Scan: null })).toEqual([two, three]);
      });

      test("give no right to the bytes", async () => {
        const file = await store(admin);
        await admin("PUT", `/v1/object/${file}/readers`, { readers: [await idOfAdmin()] });
        const id = (await admin("POST", `/v1/object/${letter}`, { Scan: file })).data["~ObjectID"];
        expect((await admin("GET", `/v1/object/${id}`)).data.Scan["~ObjectID"]).toBe(file);
        for (const send of [demo, reader]) {
          expect((await send("GET", `/v1/object/${id}`)).data.Scan).toBeNull();
          for (const name of [file, await uuidOf(file)]) expect(await textOf(name, send)).toBe("304");
        }
        expect(await textOf(file, admin)).toBe("abc");
      });

      test("follow the delete rules of references, in the recycle bin and back", async () => {
        const [file, needed, owner] = [await store(), await store(), await store()];
        const [cleared, follower] = [await create(letter, { Scan: file }), await create(dependent, { Scan: owner })];
        const keeper = await create(strict, { Scan: needed });
        const remove = async (id: string, query = "") => (await demo("DELETE", `/v1/object/${id}${query}`)).code;
        for (const query of ["", "?moveToRecycler=true"]) expect(await remove(needed, query)).toBe("718");

        expect(await remove(file, "?moveToRecycler=true")).toBe("0");
        expect(await scanOf(cleared)).toBeNull();
        expect(await textOf(file)).toBe("609");
        expect((await demo("POST", `/v1/object/${file}/restore`)).data).toMatchObject({ Size: 3 });
        expect((await scanOf(cleared))["~ObjectID"]).toBe(file);
        expect(await textOf(file)).toBe("abc");

        expect(await remove(owner, "?moveToRecycler=true")).toBe("0");
        expect((await demo("GET", `/v1/object/${follower}`)).code).toBe("609");
        expect((await demo("POST", `/v1/object/${owner}/restore`)).code).toBe("0");
        expect((await scanOf(follower))["~ObjectID"]).toBe(owner);

        expect(await remove(keeper, "?moveToRecycler=true")).toBe("0");
        expect(await remove(needed)).toBe("0");
        expect((await demo("POST", `/v1/object/${keeper}/restore`)).code).toBe("307");
        expect(await remove(file)).toBe("0");
        expect((await demo("GET", `/v1/object/${cleared}`)).data).toMatchObject({ Scan: null });
        expect(await remove(owner)).toBe("0");
        expect((await demo("GET", `/v1/object/${follower}`)).code).toBe("609");
      });

      test("the bytes of a file stay until it cannot be restored", async () => {
        const [file, image] = [await store(), await store(admin, "?className=Image")];
        const names = async (id: string) =>
          (await database().storage.repositories.records.list("file", { owner: id, after: null, limit: 2 })).length;
        for (const id of [file, image]) await admin("DELETE", `/v1/object/${id}?moveToRecycler=true`);
        await collect(database());
        for (const id of [file, image]) {
          expect(await names(id)).toBe(1);
          expect((await admin("POST", `/v1/object/${id}/restore`)).code).toBe("0");
          expect(await textOf(id, admin)).toBe("abc");
          await admin("DELETE", `/v1/object/${id}?moveToRecycler=true`);
          expect((await admin("DELETE", `/v1/recycler/${id}`)).data).toEqual({ "~Count": 1 });
        }
        await collect(database());
        for (const id of [file, image]) {
          expect(await textOf(id, admin)).toBe("609");
          expect(await names(id)).toBe(0);
        }
      });
    });
  });
});

/** Runs the collector as it runs a day later. */
async function collect(database: Database): Promise<void> {
  await collectFiles(administrationOf(database), { minimumAge: 0 });
}
