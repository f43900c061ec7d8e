import { type ClientOptions, SallyportClient, SallyportError, TransportError, versionOf } from "@sallyport/client";
import { type Arrived, refusal, success } from "./fake-server.ts";
import { connected, latch, loggedIn, modes } from "./modes.ts";

const credentials = {
  session: "sessionid",
  token: "authorization",
  encrypted: "authorization",
  secure: "secure-token",
};

describe.each(modes)("calls in mode %s", (mode) => {
  test("carry the app key and the one credential of the mode", async () => {
    const { server, client } = await loggedIn(mode);
    await client.getObject("G");
    const headers = server.arrived.at(-1)?.headers;
    expect(headers?.get("appkey")).toBe("key");
    expect(["sessionid", "authorization", "secure-token"].filter((name) => headers?.has(name))).toEqual([
      credentials[mode],
    ]);
  });

  test("read objects and pages", async () => {
    const { server, client } = await loggedIn(mode);
    const customer = { "~ClassName": "Customer", "~ObjectID": "1A", "~StoreTime": "t", Name: "Zoë" };
    server.routes.set("session /v1/object/1A", () => success(customer));
    server.routes.set("session /v1/objects/Customer", () =>
      success({ "~Count": 1, "~UnfilteredCount": 2, "~Elements": [customer] }),
    );
    const object = await client.getObject<{ Name: string }>("1A", { serialization: { depth: 1 } });
    expect(object.Name).toBe("Zoë");
    const page = await client.listObjects<{ Name: string }>("Customer", {
      page: 0,
      perPage: 5,
      query: { where: { Name: "Zoë" } },
    });
    expect(page["~Elements"][0]?.Name).toBe("Zoë");
    await expect(client.countObjects("Customer", { query: { where: { Name: "Zoë" } } })).resolves.toBe(1);
    const asked = server.arrived.slice(-3).map(({ url }) => Object.fromEntries(url.searchParams));
    const query = '{"where":{"Name":"Zoë"}}';
    expect(asked).toEqual([
      { serialization: '{"depth":1}' },
      { page: "0", perPage: "5", query },
      { perPage: "1", query, serialization: '{"type":"oid"}' },
    ]);
  });

  test("send and receive any JSON", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/execute/echo", ({ body }) => success({ echo: JSON.parse(body) }));
    for (const body of [{ a: [1, "ü😀"] }, [], "text", 0, null, "x".repeat(100_000)]) {
      await expect(client.request({ method: "POST", path: "/v1/execute/echo", body })).resolves.toMatchObject({
        data: { echo: body },
      });
    }
  });

  test("of any operation fill its path, query and body, and know the version of its data", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/object/1A/readers", ({ body }) => success(JSON.parse(body), { etag: '"7"' }));
    const changed = await client.call("PUT /v1/object/{idOrClass}/readers", {
      path: { idOrClass: "1A" },
      body: { readers: ["B"] },
      ifMatch: '"6"',
    });
    expect(changed.readers).toEqual(["B"]);
    expect(versionOf(changed)).toBe('"7"');
    expect(server.arrived.at(-1)?.headers.get("if-match")).toBe('"6"');
    server.routes.set("session /v1/recycler", () => success({ "~Count": 2 }));
    await expect(client.call("DELETE /v1/recycler", { query: { all: true } })).resolves.toEqual({ "~Count": 2 });
    expect(server.arrived.at(-1)?.url.search).toBe("?all=true");
  });

  test("hide their contents in secure mode only", async () => {
    const { server, client } = await loggedIn(mode);
    await client.request({ method: "POST", path: "/v1/execute/m", body: { secret: "whisper" } });
    const { wire, headers } = server.arrived.at(-1) as Arrived;
    expect(wire.includes("whisper")).toBe(mode !== "secure");
    expect(headers.get("content-type")).toBe(mode === "secure" ? "application/text" : "application/json");
  });

  test("return status, version and message of the answer", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/object/1A", () => success({ a: 1 }, { etag: '"3"' }));
    const { headers, ...answer } = await client.request({
      path: "/v1/object/1A",
      headers: { "If-Match": '"2"', SessionId: "x", AppKey: "y" },
    });
    expect(answer).toEqual({ data: { a: 1 }, message: "ok", httpStatus: 200, requestId: "r-1", etag: '"3"' });
    expect(headers.get("etag")).toBe('"3"');
    expect(server.arrived.at(-1)?.headers.get("if-match")).toBe('"2"');
  });

  test("send and fetch files unchanged", async () => {
    const { server, client } = await loggedIn(mode);
    const file = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);
    server.routes.set(
      "session /v1/file/7",
      ({ body }) => new Response(Buffer.from(body || file), { headers: { "content-type": "image/png" } }),
    );
    const { bytes, httpStatus } = await client.requestBytes({ path: "/v1/file/7" });
    expect(Buffer.from(bytes).equals(file)).toBe(true);
    expect(httpStatus).toBe(200);
    await client.requestBytes({
      method: "PATCH",
      path: "/v1/file/7",
      body: new TextEncoder().encode("plain"),
      headers: { "content-type": "text/plain" },
    });
    expect(server.arrived.at(-1)).toMatchObject({ body: "plain" });
    expect(server.arrived.at(-1)?.headers.get("content-type")).toBe("text/plain");
  });

  test("report why a file is refused", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/file/7", () => refusal(707, 500));
    await expect(client.requestBytes({ path: "/v1/file/7" })).rejects.toMatchObject({ code: 707 });
  });

  test("of a file that the client has get no bytes", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("/v1/file/7", () => new Response(null, { status: 304 }));
    const headers = { "if-none-match": '"a"' };
    const { bytes, httpStatus } = await client.requestBytes({ path: "/v1/file/7", headers });
    expect([bytes.length, httpStatus]).toEqual([0, 304]);
  });

  test("of a file refuse a redirect, even one with the envelope of a success", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/file/7", () => new Response(success({}).body, { status: 302 }));
    const foreign = { reason: "foreign-answer", httpStatus: 302 };
    await expect(client.requestBytes({ path: "/v1/file/7" })).rejects.toMatchObject(foreign);
    await expect(client.requestStream({ path: "/v1/file/7" })).rejects.toMatchObject(foreign);
  });

  test("without a session are plain, and carry no credential", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("/v1/resetPassword", () => success({}));
    await client.request({ method: "POST", path: "/v1/resetPassword", body: { user: "demo" }, anonymous: true });
    const { headers, wire } = server.arrived.at(-1) as Arrived;
    expect(headers.has(credentials[mode])).toBe(false);
    expect(JSON.parse(wire)).toEqual({ user: "demo" });
  });
});

describe("calls", () => {
  test("check the service without a log-in", async () => {
    const { client } = connected();
    await expect(client.checkService()).resolves.toEqual({ applicationName: "fake", applicationVersion: "2.2.0" });
  });

  test("go to the database of the alias, under the prefix of the server", async () => {
    const { server, client } = connected({ baseUrl: "https://db.example/base", alias: "archive" });
    await client.checkService().catch(() => undefined);
    expect(server.log).toEqual(["GET /base/archive/_CheckService"]);
  });

  test("never follow redirects, cache answers or send cookies", async () => {
    let sent: RequestInit | undefined;
    const { server } = connected();
    const { client } = connected({
      fetch: (input, init) => {
        sent = init;
        return server.fetch(input, init);
      },
    });
    await client.checkService();
    expect(sent).toMatchObject({
      redirect: "manual",
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  });

  test("describe the API, with the current session", async () => {
    const { server, client } = await loggedIn("secure");
    server.routes.set("session /openapi.json", () => new Response('{"openapi":"3.1.1","paths":{"/v1/x":{}}}'));
    await expect(client.describeApi()).resolves.toEqual({ openapi: "3.1.1", paths: { "/v1/x": {} } });
    const { server: other, client: stranger } = connected();
    other.routes.set("/openapi.json", () => new Response('{"openapi":"3.1.1"}'));
    await expect(stranger.describeApi()).resolves.toEqual({ openapi: "3.1.1" });
    other.routes.set("/openapi.json", () => new Response("<html>"));
    await expect(stranger.describeApi()).rejects.toMatchObject({
      name: "TransportError",
      reason: "foreign-answer",
      httpStatus: 200,
    });
    other.routes.set("/openapi.json", () => refusal(706, 503));
    await expect(stranger.describeApi()).rejects.toMatchObject({ code: 706 });
  });

  test("percent-encode path parameters", async () => {
    const { server, client } = await loggedIn("session");
    await client.getObject("a/b?c#d é");
    expect(server.log.at(-1)).toBe("GET /v1/object/a%2Fb%3Fc%23d%20%C3%A9");
  });

  test("report code, status and request of an error", async () => {
    const { client } = await loggedIn("session");
    const { server, client: other } = connected({ appKey: "other" });
    await expect(other.checkSession()).resolves.toBe(false);
    expect(server.arrived).toEqual([]);
    const error = await connected({ appKey: "other" })
      .client.request({ path: "/v1/x", anonymous: true })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SallyportError);
    expect(error).toMatchObject({ code: 101, httpStatus: 401, requestId: "r-1" });
    await expect(client.checkSession()).resolves.toBe(true);
  });

  test("distinguish an unreachable server from a foreign one", async () => {
    const cause = new TypeError("fetch failed");
    const down = connected({ fetch: () => Promise.reject(cause) }).client;
    await expect(down.checkService()).rejects.toMatchObject({ name: "TransportError", reason: "unreachable", cause });
    const proxy = connected({ fetch: async () => new Response("<html>", { status: 502 }) }).client;
    await expect(proxy.checkService()).rejects.toMatchObject({
      name: "TransportError",
      reason: "foreign-answer",
      httpStatus: 502,
    });
  });

  test("end at their time limit, and with their signal", async () => {
    const arrived = latch();
    const never: ClientOptions["fetch"] = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
        arrived.open();
      });
    const { client } = connected({ fetch: never, timeout: 20 });
    const late = await client.checkService().catch((error: unknown) => error);
    expect(late).toBeInstanceOf(TransportError);
    expect(late).toMatchObject({ reason: "timeout" });
    const controller = new AbortController();
    const call = client.checkService({ timeout: 0, signal: controller.signal }).catch((error: unknown) => error);
    await arrived.passed;
    controller.abort();
    expect(await call).toMatchObject({ name: "AbortError" });
  });

  test.each([
    ["address", { baseUrl: "nowhere" }, TypeError],
    ["alias", { alias: "V1!" }, TypeError],
    ["time limit", { timeout: -1 }, RangeError],
    ["number of repetitions", { retries: -1 }, RangeError],
  ] as const)("are not started without a valid %s", (_title, options, error) => {
    expect(() => new SallyportClient({ baseUrl: "https://db.example", appKey: "key", ...options })).toThrow(error);
  });

  test("with an app key that is invalid in a header fail before anything is sent", async () => {
    const { server, client } = connected({ appKey: "a\nb" });
    await expect(client.checkService()).rejects.toMatchObject({ name: "TypeError" });
    expect(server.arrived).toEqual([]);
  });
});

describe("all pages", () => {
  const names = Array.from({ length: 7 }, (_, n) => ({ "~ObjectID": String(n) }));

  /** A list with positions as cursors. */
  async function listing(count: number) {
    const parts = await loggedIn("session");
    parts.server.routes.set("session /v1/objects/C", ({ url }) => {
      const [from, perPage] = [Number(url.searchParams.get("cursor")), Number(url.searchParams.get("perPage") ?? 50)];
      const elements = names.slice(0, count).slice(from, from + perPage);
      const next = elements.length === perPage ? { "~Cursor": String(from + perPage) } : {};
      return success({ "~Count": count, "~UnfilteredCount": count, ...next, "~Elements": elements });
    });
    return parts;
  }

  test.each([
    [0, 3, 1],
    [2, 3, 1],
    [3, 3, 2],
    [4, 3, 2],
    [6, 3, 3],
    [7, 3, 3],
    [7, 1, 8],
  ])("of %i objects, %i on each, are read with %i requests", async (count, perPage, requests) => {
    const { server, client } = await listing(count);
    const read = [];
    for await (const object of client.objects("C", { perPage })) read.push(object["~ObjectID"]);
    expect(read).toEqual(names.slice(0, count).map((each) => each["~ObjectID"]));
    expect(server.count("GET /v1/objects/C")).toBe(requests);
  });

  test.each([
    [0, [0]],
    [2, [2]],
    [4, [3, 1]],
    [6, [3, 3]],
  ])("of %i objects have the sizes %j, and only the first may be empty", async (count, expected) => {
    const { client } = await listing(count);
    const sizes = [];
    for await (const page of client.pages("C", { perPage: 3 })) sizes.push(page["~Elements"].length);
    expect(sizes).toEqual(expected);
  });

  test("have the same query", async () => {
    const { server, client } = await listing(7);
    const query = { where: { Name: { $like: "Z%" } }, sort: ["-Name"] };
    for await (const page of client.pages("C", { perPage: 3, query, count: "capped", serialization: { type: "oid" } }))
      expect(page["~Count"]).toBe(7);
    const asked = server.arrived.slice(-3).map(({ url }) => Object.fromEntries(url.searchParams));
    const same = { perPage: "3", query: JSON.stringify(query), count: "capped", serialization: '{"type":"oid"}' };
    expect(asked).toEqual([same, { ...same, cursor: "3" }, { ...same, cursor: "6" }]);
  });

  test("are requested only as far as they are consumed", async () => {
    const { server, client } = await listing(7);
    for await (const page of client.pages("C", { perPage: 2 })) {
      expect(page["~Elements"]).toHaveLength(2);
      break;
    }
    expect(server.count("GET /v1/objects/C")).toBe(1);
  });

  test("end at the first error", async () => {
    const { server, client } = await listing(7);
    const read: string[] = [];
    const reading = (async () => {
      for await (const object of client.objects("C", { perPage: 3 })) {
        read.push(object["~ObjectID"]);
        server.routes.set("session /v1/objects/C", () => refusal(704, 500));
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 704 });
    expect(read).toEqual(["0", "1", "2"]);
  });
});
