import { versionOf } from "@sallyport/client";
import { refusal, success } from "./fake-server.ts";
import { loggedIn, modes } from "./modes.ts";

const customer = { "~ClassName": "Customer", "~ObjectID": "1A", "~StoreTime": "t", Name: "Zoë" };

describe.each(modes)("writes in mode %s", (mode) => {
  async function prepared() {
    const parts = await loggedIn(mode);
    let version = 1;
    const written = (body: string) =>
      success({ ...customer, ...(body === "" ? {} : JSON.parse(body)) }, { etag: `"${(version += 1)}"` });
    parts.server.routes.set("session /v1/object/Customer", ({ body }) => written(body));
    parts.server.routes.set("session /v1/object/1A", ({ body }) => written(body));
    parts.server.routes.set("session /v1/lock/object/1A", ({ method }) =>
      success({ isLocked: method !== "DELETE", messages: [method] }),
    );
    return parts;
  }

  test("create and change objects", async () => {
    const { server, client } = await prepared();
    const created = await client.createObject<{ Name: string }>(
      "Customer",
      { Name: "Ann" },
      { serialization: { depth: 0 } },
    );
    expect([created.Name, versionOf(created)]).toEqual(["Ann", '"2"']);
    const updated = await client.updateObject<{ Name: string }>("1A", { Name: "Bob" });
    expect([updated.Name, versionOf(updated)]).toEqual(["Bob", '"3"']);
    const sent = server.arrived
      .slice(-2)
      .map(({ method, url, headers, body }) => [
        method,
        url.pathname + decodeURIComponent(url.search),
        headers.get("if-match"),
        body,
      ]);
    expect(sent).toEqual([
      ["POST", '/v1/object/Customer?serialization={"depth":0}', null, '{"Name":"Ann"}'],
      ["PATCH", "/v1/object/1A", null, '{"Name":"Bob"}'],
    ]);
  });

  test("tell and replace readers", async () => {
    const { server, client } = await prepared();
    server.routes.set("session /v1/object/1A/readers", ({ body }) =>
      success(body === "" ? { readers: null } : JSON.parse(body), { etag: '"9"' }),
    );
    const read = await client.getReaders("1A");
    expect(read).toEqual({ readers: null });
    await expect(client.setReaders("1A", ["G"], { ifMatch: read })).resolves.toEqual({ readers: ["G"] });
    await client.setReaders("1A", null);
    const sent = server.arrived.slice(-3).map(({ method, headers, body }) => [method, headers.get("if-match"), body]);
    expect(sent).toEqual([
      ["GET", null, ""],
      ["PUT", '"9"', '{"readers":["G"]}'],
      ["PUT", null, '{"readers":null}'],
    ]);
  });

  test("change what matches", async () => {
    const { server, client } = await prepared();
    server.routes.set("session /v1/objects/Customer", () => success({ "~Count": 3 }));
    await expect(client.updateObjects("Customer", { where: { Name: "Bob" } }, { Name: "Cid" })).resolves.toBe(3);
    const { method, url, body } = server.arrived.at(-1) ?? {};
    expect([method, Object.fromEntries(url?.searchParams ?? []), body]).toEqual([
      "PATCH",
      { query: '{"where":{"Name":"Bob"}}' },
      '{"Name":"Cid"}',
    ]);
  });

  test("happen if nothing has changed since an object was read", async () => {
    const { server, client } = await prepared();
    const read = await client.getObject("1A");
    await client.updateObject("1A", {}, { ifMatch: read });
    await client.updateObject("1A", {}, { ifMatch: await client.updateObject("1A", {}, { ifMatch: '"7"' }) });
    expect(server.arrived.slice(-3).map(({ headers }) => headers.get("if-match"))).toEqual(['"2"', '"7"', '"4"']);
    server.routes.set("session /v1/object/1A", () => refusal(713, 500));
    await expect(client.updateObject("1A", {}, { ifMatch: read })).rejects.toMatchObject({ code: 713 });
  });

  test("are not sent when they depend on what has no known version", async () => {
    const { server, client } = await prepared();
    server.routes.set("session /v1/objects/Customer", () =>
      success({ "~Count": 1, "~UnfilteredCount": 1, "~Elements": [customer] }, { etag: '"9"' }),
    );
    const {
      "~Elements": [element],
    } = await client.listObjects("Customer");
    const sent = server.arrived.length;
    for (const before of [element ?? {}, { ...(await client.getObject("1A")) }]) {
      expect(versionOf(before)).toBeUndefined();
      await expect(client.updateObject("1A", {}, { ifMatch: before })).rejects.toBeInstanceOf(TypeError);
    }
    expect(server.arrived.length).toBe(sent + 1);
  });

  test("delete objects, for good or not, and bring them back", async () => {
    const { server, client } = await prepared();
    server.routes.set("session /v1/object/1A/restore", () => success(customer, { etag: '"9"' }));
    const read = await client.getObject("1A");
    await expect(client.deleteObject("1A")).resolves.toBeUndefined();
    await client.deleteObject("1A", { recycle: true, ifMatch: read });
    await client.deleteObject("1A", { recycle: false });
    const restored = await client.restoreObject<{ Name: string }>("1A", { serialization: { depth: 0 } });
    expect([restored.Name, versionOf(restored)]).toEqual(["Zoë", '"9"']);
    const sent = server.arrived
      .slice(-4)
      .map(({ method, url, headers, body }) => [
        method,
        url.pathname + decodeURIComponent(url.search),
        headers.get("if-match"),
        body,
      ]);
    expect(sent).toEqual([
      ["DELETE", "/v1/object/1A", null, ""],
      ["DELETE", "/v1/object/1A?moveToRecycler=true", versionOf(read), ""],
      ["DELETE", "/v1/object/1A", null, ""],
      ["POST", '/v1/object/1A/restore?serialization={"depth":0}', null, ""],
    ]);
    server.routes.set("session /v1/object/1A", () => refusal(609, 410));
    await expect(client.deleteObject("1A")).rejects.toMatchObject({ code: 609, httpStatus: 410 });
  });

  test("list and purge the recycle bin", async () => {
    const { server, client } = await prepared();
    const element = {
      "~ClassName": "Customer",
      "~ObjectID": "1A",
      "~UUID": "u",
      "~StoreTime": "t",
      "~DeletedBy": null,
    };
    server.routes.set("session /v1/recycler", ({ method }) =>
      success(method === "GET" ? { "~Cursor": "next", "~Elements": [element] } : { "~Count": 3 }),
    );
    server.routes.set("session /v1/recycler/1A", () => success({ "~Count": 2 }));
    const page = await client.listRecycler();
    expect(page).toEqual({ "~Cursor": "next", "~Elements": [element] });
    await client.listRecycler({ perPage: 5, cursor: page["~Cursor"] });
    expect([
      await client.purgeObject("1A"),
      await client.purgeRecycler(),
      await client.purgeRecycler({ all: true }),
    ]).toEqual([2, 3, 3]);
    const sent = server.arrived.slice(-5).map(({ method, url }) => [method, url.pathname + url.search]);
    expect(sent).toEqual([
      ["GET", "/v1/recycler"],
      ["GET", "/v1/recycler?perPage=5&cursor=next"],
      ["DELETE", "/v1/recycler/1A"],
      ["DELETE", "/v1/recycler"],
      ["DELETE", "/v1/recycler?all=true"],
    ]);
    server.routes.set("session /v1/recycler/1A", () => refusal(609, 410));
    await expect(client.purgeObject("1A")).rejects.toMatchObject({ code: 609, httpStatus: 410 });
  });

  test("lock objects, look at locks and give them free", async () => {
    const { client } = await prepared();
    const answers = [await client.lockObject("1A"), await client.getLock("1A"), await client.unlockObject("1A")];
    expect(answers).toEqual([
      { isLocked: true, messages: ["POST"] },
      { isLocked: true, messages: ["GET"] },
      { isLocked: false, messages: ["DELETE"] },
    ]);
  });

  test("are sent once more when the session was over, unless they count on it", async () => {
    const { server, client } = await prepared();
    server.endSessions();
    await expect(client.updateObject("1A", { Name: "Eve" }, { renew: false })).rejects.toMatchObject({
      httpStatus: 401,
    });
    await expect(client.updateObject("1A", { Name: "Eve" })).resolves.toMatchObject({ Name: "Eve" });
    expect(
      server.arrived
        .filter(({ method }) => method === "PATCH")
        .map(({ body }) => body)
        .at(-1),
    ).toBe('{"Name":"Eve"}');
  });
});
