import type { Json } from "@sallyport/testing/acceptance";
import { checkEnvelope, type Headers, type Message, statusOf, StrictClient } from "./strict-client.ts";
import { json, logInFields } from "./log-in-fields.ts";
import { onPublicServers } from "./on-public-servers.ts";

const encode = (value: unknown) => encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));
/** Packs all parameters into one, like clients. */
const packed = (parameters: Readonly<Record<string, unknown>>) =>
  `qb64=${Buffer.from(
    Object.entries(parameters)
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join("&"),
  ).toString("base64url")}`;
const asForm = (parameters: Readonly<Record<string, unknown>>) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encode(value).replaceAll("%20", "+")}`)
    .join("&");

const storeTime = /^\d{8}T\d{6}[+-]\d{2}:\d{2}$/;

/** Meta-fields as in the models of clients; throws on unknown ones. */
function requireMetaFields(object: Json): void {
  expect(object).toMatchObject({
    "~ClassName": expect.any(String),
    "~ObjectID": expect.stringMatching(/^[0-9A-Z]+$/),
    "~StoreTime": expect.stringMatching(storeTime),
  });
  const known = ["~ClassName", "~ObjectID", "~StoreTime", "~UUID"];
  expect(Object.keys(object).filter((name) => name.startsWith("~") && !known.includes(name))).toEqual([]);
}

const attributesOf = (object: Json): string[] => Object.keys(object).filter((name) => !name.startsWith("~"));

/** Requests of public clients for objects and macros. */
onPublicServers("objects of public clients", (server) => {
  let client: StrictClient;
  let reader: StrictClient;
  let admin: StrictClient;
  beforeAll(async () => {
    const plain = new StrictClient(server().url, { appkey: "demo-app-key", ...json });
    const logIn = async (user: string) =>
      plain.with({
        sessionid: (await plain.ok({ method: "POST", path: "/v1/login", body: logInFields(user) })).sessionId,
      });
    [client, reader, admin] = [await logIn("demo"), await logIn("reader"), await logIn("admin")];
  });
  const list = async (query: string, className = "Invoice"): Promise<Json> => {
    const data = await client.ok({ path: `/v1/objects/${className}?${query}` });
    expect(Object.keys(data).filter((name) => name !== "~Cursor")).toEqual(["~Count", "~UnfilteredCount", "~Elements"]);
    expect([Number.isInteger(data["~Count"]), Number.isInteger(data["~UnfilteredCount"])]).toEqual([true, true]);
    data["~Elements"].forEach(requireMetaFields);
    return data;
  };

  describe("lists", () => {
    const where = { "Customer.Country": "Norway", Paid: false };
    const vendorForm = {
      type: "custom",
      fieldList: ["Number", "Customer.Name"],
      macroLevel: 1,
      getSize: false,
      securityRights: true,
    };
    const spellings: readonly (readonly [string, (parameters: Record<string, unknown>) => string])[] = [
      ["one by one", asForm],
      ["packed into one", packed],
      ["packed, padded", (parameters) => packed({ ...parameters, a: 1 }) + "="],
    ];

    test.each(spellings)("accept query, page and serialization %s", async (_title, spell) => {
      const parameters = {
        query: { where, sort: ["-Date", "Number"] },
        page: 0,
        perPage: 5,
        serialization: vendorForm,
      };
      const data = await list(spell(parameters));
      expect(data["~UnfilteredCount"]).toBe(1_000);
      expect(data["~Elements"]).toHaveLength(Math.min(5, data["~Count"]));
      expect(data["~Elements"].map(attributesOf)).toEqual(data["~Elements"].map(() => ["Number", "Customer"]));
      expect(data["~Elements"].map(({ Customer }: Json) => attributesOf(Customer))).toEqual(
        data["~Elements"].map(() => ["Name"]),
      );
      const plain = await list(
        `query=${encode(parameters.query)}&perPage=5&serialization=${encode({ type: "custom", fields: vendorForm.fieldList })}`,
      );
      // A cursor is sealed again each time.
      expect({ ...data, "~Cursor": "" }).toEqual({ ...plain, "~Cursor": "" });
    });

    test.each<[title: string, serialization: object, attributes: string[] | null]>([
      [
        "full",
        { type: "full", macroLevel: 0, getSize: true, securityRights: false },
        ["Number", "Date", "Due", "Amount", "Paid", "Customer"],
      ],
      ["empty", { type: "empty", securityRights: true }, []],
      ["custom", { type: "custom", fieldList: [], macroLevel: 2 }, []],
      ["custom with its own names", { type: "custom", fields: ["Amount"], getSize: true }, ["Amount"]],
      ["macro", { type: "macro", macroLevel: 3 }, []],
      [
        "none",
        { macroLevel: 1, getSize: true, securityRights: true },
        ["Number", "Date", "Due", "Amount", "Paid", "Customer"],
      ],
    ])("are written by a serialization of type %s", async (_title, serialization, attributes) => {
      const data = await list(`perPage=2&serialization=${encode(serialization)}`);
      expect(data["~Elements"].map(attributesOf)).toEqual([attributes, attributes]);
    });

    test.each<[title: string, path: string]>([
      ["the singular path", "/v1/object/Customer?perPage=3"],
      ["doubled slashes", "//v1///objects//Customer?perPage=3"],
      ["a trailing slash", "/v1/objects/Customer/?perPage=3"],
      [
        "unknown parameters",
        "/v1/objects/Customer?perPage=3&macroLevel=1&getSize=true&securityRights=1&fieldList=Name&_=17",
      ],
      ["a packed parameter beside others", `/v1/objects/Customer?page=0&${packed({ perPage: 3 })}`],
      ["the absolute form of the address", "ABSOLUTE/v1/objects/Customer?perPage=3"],
    ])("accept %s", async (_title, path) => {
      const data = await client.ok({ path: path.replace("ABSOLUTE", server().url) });
      expect([data["~Count"], data["~Elements"].length]).toEqual([200, 3]);
    });

    test("accept a bare question mark as no query", async () => {
      const [bare, none] = [
        await client.ok({ path: "/v1/objects/Customer?" }),
        await client.ok({ path: "/v1/objects/Customer" }),
      ];
      expect({ ...bare, "~Cursor": "" }).toEqual({ ...none, "~Cursor": "" });
      expect(bare["~Elements"]).toHaveLength(50);
    });

    test.each<[query: string, code: number]>([
      ["query=%5B%5D", 329],
      ["query=5", 329],
      ["query=%7B", 308],
      ["query=", 308],
      ["serialization=full", 308],
      ["serialization=%5B%5D", 307],
      [`serialization=${encode({ type: "custom" })}`, 307],
      [`serialization=${encode({ type: "custom", fieldList: ["Nothing"] })}`, 307],
      [`query=${encode({ where: { Nothing: 1 } })}`, 307],
      [`query=${encode({ nothing: 1 })}`, 307],
      ["perPage=1001", 307],
      ["perPage=0", 307],
      ["page=-1", 307],
      ["page=x", 307],
      ["qb64=%7B%7D", 307],
      [`perPage=1&${packed({ perPage: 2 })}`, 307],
      [packed({ query: "{" }), 308],
      [packed({ query: [] }), 329],
    ])("refuse %s", (query, code) => client.fails({ path: `/v1/objects/Customer?${query}` }, code).then(() => {}));

    test("do not distinguish unknown and unreadable classes", async () => {
      for (const path of ["/v1/objects/Nothing", "/v1/object/Nothing", "/v1/objects/User", "/v1/object/User"])
        await reader.fails({ path }, 304);
    });
  });

  describe("objects", () => {
    const create = (attributes: object, more: Partial<Message> = {}): Message => ({
      method: "POST",
      path: "/v1/object/Customer",
      body: attributes,
      ...more,
    });

    test("are created, changed, locked, recycled, restored and deleted", async () => {
      const created = await client.ok(create({ Name: "Ada", City: "Graz", "~StoreTime": "20200101T000000+00:00" }));
      requireMetaFields(created);
      expect(created).toMatchObject({ "~ClassName": "Customer", Name: "Ada", City: "Graz" });
      const at = (more: Partial<Message>, path = `/v1/object/${created["~ObjectID"]}`): Message => ({ path, ...more });
      expect(await client.ok(at({}))).toEqual(created);
      const changed = await client.ok(at({ method: "PATCH", body: { City: null, CreditLimit: 12.5 } }));
      expect(changed).toMatchObject({ Name: "Ada", CreditLimit: 12.5 });
      const { headers } = await client.send(at({}));
      expect(headers["etag"]).toMatch(/^"\d+"$/);
      await client.fails(at({ method: "PATCH", body: { City: "Wien" }, headers: { "If-Match": '"1"' } }), 713);
      await reader.fails(at({ method: "PATCH", body: { City: "Wien" } }), 404);
      const lock = `/v1/lock/object/${created["~ObjectID"]}`;
      expect(await client.ok(at({}, lock))).toEqual({ isLocked: false, messages: [] });
      const locked = { isLocked: true, messages: [expect.any(String)], since: expect.any(String) };
      expect(await client.ok(at({ method: "POST" }, lock))).toEqual({
        ...locked,
        isOwn: true,
        userId: expect.any(String),
      });
      expect(await reader.ok(at({}, lock))).toEqual({ ...locked, isOwn: false });
      expect(await client.ok(at({ method: "DELETE" }, lock))).toEqual({ isLocked: false, messages: [] });
      await client.ok(at({ method: "DELETE" }, `/v1/object/${created["~ObjectID"]}?moveToRecycler=true`));
      await client.fails(at({}), 609);
      expect(await client.ok(at({ method: "POST" }, `/v1/object/${created["~ObjectID"]}/restore`))).toMatchObject({
        Name: "Ada",
        CreditLimit: 12.5,
      });
      await client.ok(at({ method: "DELETE" }));
      await client.fails(at({}), 609);
      await client.fails(at({ method: "DELETE" }), 609);
      await client.fails(at({ method: "PATCH", body: { City: "Wien" } }), 610);
    });

    test.each<[title: string, message: Message, code: number]>([
      ["no body", { method: "POST", path: "/v1/object/Customer" }, 300],
      ["a body of invalid JSON", create({}, { body: "{" }), 311],
      ["an array", create({}, { body: [] }), 307],
      ["an unknown attribute", create({ Name: "x", Nothing: 1 }), 307],
      ["a meta-field", create({ Name: "x", "~ObjectID": "7" }), 307],
      ["a number as a text", create({ Name: "x", CreditLimit: "5" }), 307],
      ["a missing mandatory attribute", create({ City: "Graz" }), 307],
      ["a nested forbidden name", create({}, { body: '{"Name":"x","City":{"constructor":1}}' }), 307],
      ["a body of 40 levels", create({}, { body: `{"Name":${"[".repeat(40)}${"]".repeat(40)}}` }), 307],
      ["a body of more than 1 MiB", create({ Name: "x".repeat(1_048_576) }), 801],
      ["a content type other than JSON", create({ Name: "x" }, { headers: { "Content-Type": "text/plain" } }), 207],
      ["an unknown class", create({ Name: "x" }, { path: "/v1/object/Nothing" }), 304],
      ["an unknown object", { path: "/v1/object/ZZZZZZZZ" }, 304],
      ["an encoded slash", { path: "/v1/object%2FCustomer" }, 304],
      ["a change of all without a query", { method: "PATCH", path: "/v1/objects/Customer", body: { City: "x" } }, 307],
      ["a method that the path does not allow", { method: "PUT", path: "/v1/objects/Customer" }, 305],
    ])("are refused for %s", (_title, message, code) => client.fails(message, code).then(() => {}));

    test("all matching objects are changed at once", async () => {
      await client.ok(create({ Name: "Bulk", City: "Here" }));
      await client.ok(create({ Name: "Bulk", City: "There" }));
      expect(
        await client.ok({
          method: "PATCH",
          path: `/v1/objects/Customer?${packed({ query: { where: { Name: "Bulk" } } })}`,
          body: { City: "Everywhere" },
        }),
      ).toEqual({ "~Count": 2 });
    });
  });

  describe("macros", () => {
    const execute = (name: string, body?: unknown, headers: Headers = {}): Message => ({
      method: "POST",
      path: `/v1/execute/${name}`,
      body,
      headers,
    });

    test.each<[title: string, body: unknown, data: unknown]>([
      ["an object", { a: [1, "b", null] }, { a: [1, "b", null] }],
      ["an empty object", {}, {}],
      ["an array", [1], [1]],
      ["no body", undefined, {}],
      ["an empty body", "", {}],
    ])("accept %s", async (_title, body, data) => {
      expect(await client.ok(execute("Echo", body))).toEqual(data);
      expect(
        await client.ok(
          execute("Echo", body, {
            "Content-Length":
              body === undefined
                ? "0"
                : String(Buffer.byteLength(typeof body === "string" ? body : JSON.stringify(body))),
          }),
        ),
      ).toEqual(data);
    });

    test("accept a missing body under any content type", async () => {
      for (const type of ["application/x-www-form-urlencoded", "text/plain", ""])
        expect(await client.ok(execute("Echo", undefined, { "Content-Type": type }))).toEqual({});
      await client.fails(execute("Echo", "{}", { "Content-Type": "text/plain" }), 207);
    });

    test("choose the status message", async () => {
      expect(await client.ok(execute("Status", { message: "as you wish", result: { a: 1 } }), "as you wish")).toEqual({
        a: 1,
      });
    });

    test.each<[name: string, body: unknown, code: number]>([
      ["1x", {}, 400],
      ["a-b", {}, 400],
      ["x".repeat(129), {}, 400],
      ["Nothing", {}, 710],
      ["Throwing", {}, 710],
      ["Closed", {}, 401],
      ["Closed?skipChecker=true", {}, 401],
      ["Checked?skipChecker=true", true, 402],
      ["Echo", "{", 311],
      ["Refuse", { code: 713 }, 713],
    ])("%s with %j is refused", (name, body, code) => client.fails(execute(name, body), code).then(() => {}));
  });

  test("a file is begun, sent as a form without a field name, and finished, also in multi requests", async () => {
    const boundary = "----formdata-0123456789";
    const form = (text: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name=""; filename="note.txt"\r\n` +
      `Content-Type: text/plain\r\n\r\n${text}\r\n--${boundary}--\r\n`;
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const inMulti = async (item: object) => {
      const [{ result }] = await admin.ok({ method: "POST", path: "/v1/multi", body: [item] });
      checkEnvelope(result, "0");
      return result.data;
    };
    const send = (item: { method: string; path: string }) => admin.ok(item);
    for (const request of [send, inMulti]) {
      const { uploadId } = await request({ method: "GET", path: "/v1/uploadFile" });
      const path = `/v1/uploadFile/${uploadId}`;
      await admin.fails({ method: "PATCH", path }, 604);
      await admin.ok({ method: "POST", path, headers, body: form("first") });
      await admin.ok({ method: "POST", path, headers, body: form("Hello") });
      const object = await request({ method: "PATCH", path });
      requireMetaFields(object);
      expect(await admin.send({ path: `/v1/file/${object["~ObjectID"]}` })).toMatchObject({
        status: 200,
        text: "Hello",
      });
      await admin.fails({ method: "PATCH", path }, 603);
    }
    for (const [path, code] of [
      ["/v1/uploadFile", 601],
      ["/v1/uploadFile/1", 602],
    ] as const)
      await admin.fails({ method: "PATCH", path }, code);
  });

  test("items of multi requests have whole envelopes", async () => {
    const items: readonly (readonly [object, string, string?])[] = [
      [{ method: "GET", path: "/v1/objects/Customer?perPage=1" }, "0"],
      [
        {
          method: "GET",
          path: `/v1/objects/Customer?${packed({ perPage: 1, serialization: { type: "custom", fieldList: ["Name"], macroLevel: 1 } })}`,
        },
        "0",
      ],
      [{ method: "POST", path: "/v1/object/Customer", data: { Name: "Of a multi request" } }, "0"],
      [{ method: "POST", path: "/v1/object/Customer", data: { Nothing: 1 } }, "307"],
      [{ method: "POST", path: "/v1/object/Customer" }, "300"],
      [{ method: "GET", path: "/v1/object/ZZZZZZZZ" }, "304"],
      [{ method: "GET", path: "//v1//objects//Customer?" }, "0"],
      [{ method: "POST", path: "/v1/execute/Echo" }, "0"],
      [{ method: "POST", path: "/v1/execute/Echo", data: { a: 1 } }, "0"],
      [
        { method: "POST", path: "/v1/execute/Status", data: { message: "as you wish", result: {} } },
        "0",
        "as you wish",
      ],
      [{ method: "POST", path: "/v1/execute/Nothing" }, "710"],
      [{ method: "GET", path: "/v1/objects/Customer?query=5" }, "329"],
      [{ method: "DELETE", path: "/v1/objects/Customer" }, "305"],
      [{ method: "POST", path: "/v1/logout" }, "307"],
      [{ method: "POST", path: "/v1/login", data: logInFields("demo") }, "307"],
      [{ method: "POST", path: "/v1/multi", data: [] }, "307"],
      [{ method: "GET", path: "/second/v1/objects/Customer" }, "304"],
      [{ nothing: true }, "307"],
    ];
    const data = await client.ok({ method: "POST", path: "/v1/multi", body: items.map(([item]) => item) });
    expect(data).toHaveLength(items.length);
    for (const [index, [item, code, message]] of items.entries()) {
      expect([
        item,
        Object.keys(data[index]),
        data[index].httpStatus,
        data[index].result.status.internalStatus,
      ]).toEqual([item, ["httpStatus", "result"], statusOf(code), code]);
      checkEnvelope(data[index].result, code, message);
    }
    expect(await client.ok({ method: "POST", path: "/v1/multi", body: [] })).toEqual([]);
    for (const body of [{}, Array.from({ length: 51 }, () => ({ method: "GET", path: "/v1/objects/Customer" }))])
      await client.fails({ method: "POST", path: "/v1/multi", body }, 307);
    await client.fails({ method: "POST", path: "/v1/multi" }, 300);
  });
});
