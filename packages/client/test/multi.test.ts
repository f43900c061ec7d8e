import { TransportError } from "@sallyport/client";
import { refusal, success } from "./fake-server.ts";
import { loggedIn, modes } from "./modes.ts";

const done = (data: unknown) => ({
  httpStatus: 200,
  result: { status: { internalStatus: "0", statusMessage: "ok" }, data },
});
const refused = (code: number, httpStatus: number, debugMessage?: string) => ({
  httpStatus,
  result: { status: { internalStatus: String(code), statusMessage: `Failure ${code}`, debugMessage } },
});

describe.each(modes)("many requests in one, in mode %s", (mode) => {
  test("are sent as one message, and their results come in order", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/multi", () =>
      success([done({ Name: "Zoë" }), refused(304, 404, "at /"), refused(713, 500)]),
    );
    const items = [
      { path: "/v1/object/1A", query: { serialization: { depth: 0 }, nothing: undefined } },
      { method: "POST", path: "/v1/object/Customer", data: { Name: "a&b ü" } },
      { method: "PATCH", path: "/v1/object/1A", data: {} },
    ] as const;
    await expect(client.multi<{ Name: string }>(items)).resolves.toEqual([
      { ok: true, httpStatus: 200, data: { Name: "Zoë" }, message: "ok" },
      { ok: false, httpStatus: 404, code: 304, message: "Failure 304", debugMessage: "at /" },
      { ok: false, httpStatus: 500, code: 713, message: "Failure 713" },
    ]);
    const { method, url, body } = server.arrived.at(-1) ?? {};
    expect([method, url?.search, JSON.parse(body ?? "")]).toEqual([
      "POST",
      "",
      [
        { method: "GET", path: "/v1/object/1A?serialization=%7B%22depth%22%3A0%7D" },
        { method: "POST", path: "/v1/object/Customer", data: { Name: "a&b ü" } },
        { method: "PATCH", path: "/v1/object/1A", data: {} },
      ],
    ]);
  });

  test("are all or none where that is asked for", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/multi", () => refusal(713, 500));
    await expect(client.multi([{ path: "/_CheckSession" }], { atomic: true })).rejects.toMatchObject({
      code: 713,
      httpStatus: 500,
    });
    expect(server.arrived.at(-1)?.url.search).toBe("?atomic=true");
    server.routes.set("session /v1/multi", () => success([]));
    await expect(client.multi([], { atomic: false })).resolves.toEqual([]);
    expect(server.arrived.at(-1)?.url.search).toBe("");
  });

  test("are not sent with a query in a path, and not believed with another number of results", async () => {
    const { server, client } = await loggedIn(mode);
    const sent = server.arrived.length;
    await expect(client.multi([{ path: "/v1/object/1A?serialization={}" }])).rejects.toBeInstanceOf(TypeError);
    expect(server.arrived.length).toBe(sent);
    for (const data of [[], [done({}), done({})], [{ httpStatus: 200, result: {} }], {}]) {
      server.routes.set("session /v1/multi", () => success(data));
      await expect(client.multi([{ path: "/_CheckSession" }])).rejects.toBeInstanceOf(TransportError);
    }
  });
});

describe.each(modes)("a macro, in mode %s", (mode) => {
  test("gets what it is given, or nothing, and gives what it returns", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/execute/Echo", ({ body }) => success(body === "" ? {} : JSON.parse(body)));
    await expect(client.execute("Echo")).resolves.toEqual({});
    for (const input of [{ a: [1] }, [1], "text", 5, false, null])
      await expect(client.execute("Echo", input)).resolves.toEqual(input);
    await client.execute("Echo", undefined, { skipChecker: true });
    expect(server.arrived.slice(-2).map(({ method, url, body }) => [method, url.search, body])).toEqual([
      ["POST", "", "null"],
      ["POST", "?skipChecker=true", ""],
    ]);
    server.routes.set("session /v1/execute/a%2F..%2Fb", () => refusal(400, 400));
    await expect(client.execute("a/../b")).rejects.toMatchObject({ code: 400 });
  });
});
