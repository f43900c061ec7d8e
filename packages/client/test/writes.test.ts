import { NotLoggedInError, SallyportError, TransportError, type TrashElement, versionOf } from "@sallyport/client";
import { refusal, success } from "./fake-server.ts";
import { connected, latch, loggedIn, logInOptions, logInPaths, modes } from "./modes.ts";

describe.each(modes)("ended session in mode %s", (mode) => {
  const logIns = (server: { count: (entry: string) => number }) => server.count(`POST ${logInPaths[mode]}`);

  test("is renewed, and the call repeated", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/execute/m", ({ body }) => success({ got: JSON.parse(body) }));
    server.endSessions();
    const { data } = await client.request({ method: "POST", path: "/v1/execute/m", body: { a: 1 } });
    expect(data).toEqual({ got: { a: 1 } });
    expect(logIns(server)).toBe(2);
    expect(server.count("POST /v1/execute/m")).toBe(2);
  });

  test("is renewed once for all calls", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.request({ method: "POST", path: `/v1/execute/m${n}`, body: { n } })),
    );
    expect(logIns(server)).toBe(2);
    expect(server.sessions.size).toBe(1);
  });

  test("is renewed again when it ends again", async () => {
    const { server, client } = await loggedIn(mode);
    for (let round = 0; round < 3; round += 1) {
      server.endSessions();
      await client.request({ path: "/v1/x" });
    }
    expect(logIns(server)).toBe(4);
  });

  test("is not renewed twice for one call", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("/v1/x", () => refusal(201, 401));
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 201 });
    expect(logIns(server)).toBe(2);
    expect(server.count("GET /v1/x")).toBe(2);
  });

  test("is not renewed when the client or the call disables it", async () => {
    const { server, client } = await loggedIn(mode, { renew: false });
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toBeInstanceOf(SallyportError);
    expect(logIns(server)).toBe(1);

    const other = await loggedIn(mode);
    other.server.endSessions();
    await expect(other.client.request({ path: "/v1/x", renew: false })).rejects.toBeInstanceOf(SallyportError);
    expect(logIns(other.server)).toBe(1);
    await expect(other.client.request({ path: "/v1/x" })).resolves.toMatchObject({ data: {} });
  });

  test("is not renewed after a log-in with a second factor", async () => {
    const { server, client } = connected();
    await client.logIn(logInOptions(mode, { twoFactorToken: "123456" }));
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toBeInstanceOf(SallyportError);
    expect(logIns(server)).toBe(1);
  });

  test("is reported by the check, which renews nothing", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    await expect(client.checkSession()).resolves.toBe(false);
    expect(logIns(server)).toBe(1);
  });

  test("is not renewed with refused credentials, which are not tried again", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    server.password = "changed";
    const calls = await Promise.allSettled([client.request({ path: "/v1/x" }), client.request({ path: "/v1/y" })]);
    expect(calls.map((each) => (each as PromiseRejectedResult).reason.code)).toEqual([302, 302]);
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ httpStatus: 401 });
    expect(logIns(server)).toBe(2);
  });

  test("is renewed later when the server is temporarily unavailable", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    server.routes.set(logInPaths[mode], () => refusal(706, 503, { "retry-after": "1" }));
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 706, retryAfter: 1 });
    server.routes.delete(logInPaths[mode]);
    await expect(client.request({ path: "/v1/x" })).resolves.toMatchObject({ data: {} });
  });

  test("is not renewed after a log-out during it, and nothing stays open", async () => {
    const { server } = connected();
    const [noticed, waiting] = [latch(), latch()];
    let isDelayed = false;
    const { client } = await loggedIn(mode, {
      fetch: async (input, init) => {
        const answer = await server.fetch(input, init);
        if (!isDelayed || !String(input).endsWith(logInPaths[mode])) return answer;
        noticed.open();
        await waiting.passed;
        return answer;
      },
    });
    server.endSessions();
    isDelayed = true;
    const call = client.request({ path: "/v1/x" }).catch((error: unknown) => error);
    await noticed.passed;
    await client.logOut();
    waiting.open();
    expect(await call).toBeInstanceOf(NotLoggedInError);
    expect(server.sessions.size).toBe(0);
    expect(client.session).toBeUndefined();
  });
});

describe.each([312, 314])("secure session that the server answers with %i", (code) => {
  test("is renewed, and the call repeated", async () => {
    const { server, client } = await loggedIn("secure");
    let refused = 0;
    server.routes.set("session /v1/execute/m", () => {
      refused += 1;
      return refused === 1 ? refusal(code, 400) : success({ done: true });
    });
    await expect(client.request({ method: "POST", path: "/v1/execute/m", body: {} })).resolves.toMatchObject({
      data: { done: true },
    });
    expect(server.count("POST /v2/login/secure")).toBe(2);
  });
});

test.each([312, 314])("a plain session is not renewed for %i", async (code) => {
  const { server, client } = await loggedIn("session");
  server.routes.set("session /v1/x", () => refusal(code, 400));
  await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code });
  expect(server.count("POST /v1/login")).toBe(1);
});

test("a call may stop waiting for a renewal that others still await", async () => {
  const { server, client } = await loggedIn("session");
  server.endSessions();
  const [noticed, waiting] = [latch(), latch()];
  const original = server.routes;
  original.set("/v1/login", async ({ body }) => {
    noticed.open();
    await waiting.passed;
    original.delete("/v1/login");
    return server.fetch("https://db.example/v1/login", { method: "POST", headers: { appkey: "key" }, body });
  });
  const controller = new AbortController();
  const shortTimeout = client.request({ path: "/v1/x", signal: controller.signal }).catch((error: unknown) => error);
  const longTimeout = client.request({ path: "/v1/y" });
  await noticed.passed;
  const reason = new Error("enough");
  controller.abort(reason);
  expect(await shortTimeout).toBe(reason);
  waiting.open();
  await expect(longTimeout).resolves.toMatchObject({ data: {} });
  expect(server.count("GET /v1/x")).toBe(1);
});

test("a failed connection renews and repeats nothing", async () => {
  const { server, client } = await loggedIn("session");
  server.routes.set("/v1/x", () => {
    throw new TypeError("fetch failed");
  });
  await expect(client.request({ method: "POST", path: "/v1/x", body: {} })).rejects.toBeInstanceOf(TransportError);
  expect(server.log).toEqual(["POST /v1/login", "POST /v1/x"]);
});

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

  test("create several objects", async () => {
    const { server, client } = await prepared();
    const refused = {
      httpStatus: 400,
      result: { status: { internalStatus: "307", statusMessage: "Request is invalid" } },
    };
    const created = {
      httpStatus: 200,
      result: { status: { internalStatus: "0", statusMessage: "ok" }, data: customer },
    };
    server.routes.set("session /v1/objects/Customer", () => success([created, refused]));
    const all = [{ Name: "Zoë" }, { Name: 5 }];
    await expect(client.createObjects("Customer", all, { serialization: { depth: 0 } })).resolves.toEqual([
      { ok: true, httpStatus: 200, data: customer, message: "ok" },
      { ok: false, httpStatus: 400, code: 307, message: "Request is invalid" },
    ]);
    const sent = server.arrived.at(-1);
    expect([sent?.method, sent?.url.pathname, decodeURIComponent(sent?.url.search ?? ""), sent?.body]).toEqual([
      "POST",
      "/v1/objects/Customer",
      '?serialization={"depth":0}',
      JSON.stringify(all),
    ]);
    await expect(client.createObjects("Customer", [])).rejects.toMatchObject({ reason: "foreign-answer" });
  });

  test("read and replace readers", async () => {
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

  test("change matching objects", async () => {
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

  test("depend on an unchanged version", async () => {
    const { server, client } = await prepared();
    const read = await client.getObject("1A");
    await client.updateObject("1A", {}, { ifMatch: read });
    await client.updateObject("1A", {}, { ifMatch: await client.updateObject("1A", {}, { ifMatch: '"7"' }) });
    expect(server.arrived.slice(-3).map(({ headers }) => headers.get("if-match"))).toEqual(['"2"', '"7"', '"4"']);
    server.routes.set("session /v1/object/1A", () => refusal(713, 500));
    await expect(client.updateObject("1A", {}, { ifMatch: read })).rejects.toMatchObject({ code: 713 });
  });

  test("are not sent when they depend on an unknown version", async () => {
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

  test("delete objects, permanently or not, and restore them", async () => {
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
    const element: TrashElement = {
      "~ClassName": "Customer",
      "~ObjectID": "1A",
      "~UUID": "u",
      "~StoreTime": "t",
      "~DeletedBy": "U1",
    };
    server.routes.set("session /v1/recycler", ({ method }) =>
      success(method === "GET" ? { "~Cursor": "next", "~Elements": [element] } : { "~Count": 3 }),
    );
    server.routes.set("session /v1/recycler/1A", () => success({ "~Count": 2 }));
    const page = await client.listTrash();
    expect(page).toEqual({ "~Cursor": "next", "~Elements": [element] });
    await client.listTrash({ perPage: 5, cursor: page["~Cursor"] });
    expect([await client.purgeObject("1A"), await client.purgeTrash(), await client.purgeTrash({ all: true })]).toEqual(
      [2, 3, 3],
    );
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

  test("lock objects, read locks and release them", async () => {
    const { client } = await prepared();
    const answers = [await client.lockObject("1A"), await client.getLock("1A"), await client.unlockObject("1A")];
    expect(answers).toEqual([
      { isLocked: true, messages: ["POST"] },
      { isLocked: true, messages: ["GET"] },
      { isLocked: false, messages: ["DELETE"] },
    ]);
  });

  test("are repeated once when the session ended, unless they disable renewal", async () => {
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
