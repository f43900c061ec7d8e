import { fileURLToPath } from "node:url";
import { type ClassStructure, definitionOf, NotLoggedInError, TransportError, versionOf } from "@sallyport/client";
import { build, type BuildOptions } from "esbuild";
import { refusal, success } from "./fake-server.ts";
import { connected, latch, loggedIn, logInOptions, logInPaths, modes } from "./modes.ts";

const entry = fileURLToPath(import.meta.resolve("@sallyport/client"));
const options = {
  bundle: true,
  platform: "browser",
  format: "esm",
  target: "es2022",
  minify: true,
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

describe("the client in a browser", () => {
  test("needs only its own files and those of the contract", async () => {
    const { metafile, warnings } = await build({ ...options, entryPoints: [entry] });
    expect(warnings).toEqual([]);
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.filter((path) => !/(?:^|\/)packages\/(?:client|contract)\/dist\//.test(path))).toEqual([]);
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    expect(imports.filter((each) => each.external === true || each.path.startsWith("node:"))).toEqual([]);
  });

  test("is small", async () => {
    const { outputFiles } = await build({ ...options, entryPoints: [entry] });
    expect(outputFiles[0]?.contents.length).toBeLessThan(30 * 1024);
  });

  test("adds nothing to a program that imports its errors only", async () => {
    const contents = `import { SallyportError } from "@sallyport/client"; console.log(SallyportError.name);`;
    const stdin = { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
    const { outputFiles } = await build({ ...options, stdin });
    expect(outputFiles[0]?.contents.length).toBeLessThan(1_024);
  });

  test("includes identity only when imported", async () => {
    const sizeOf = async (contents: string) => {
      const stdin = { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) };
      return (await build({ ...options, stdin })).outputFiles[0]?.contents.length ?? 0;
    };
    const core = 'export { SallyportClient } from "@sallyport/client";';
    const [alone, withLinks, withAll] = [
      await sizeOf(core),
      await sizeOf(`${core} export { listLinks } from "@sallyport/client/identity";`),
      await sizeOf(`${core} export * from "@sallyport/client/identity";`),
    ];
    expect(withLinks - alone).toBeLessThan(256);
    expect(withAll - alone).toBeLessThan(5 * 1024);
  });

  test("works without a bundler with a few mapped imports", async () => {
    const { metafile } = await build({ ...options, entryPoints: [entry], packages: "external" });
    const bare = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    expect([...new Set(bare)].toSorted()).toEqual(["@sallyport/contract/header-names", "@sallyport/contract/secure"]);
  });
});

describe.each(modes)("log-out in mode %s", (mode) => {
  test("ends the session, and calls need a log-in again", async () => {
    const { server, client } = await loggedIn(mode);
    await client.logOut();
    expect(server.sessions.size).toBe(0);
    expect(client.session).toBeUndefined();
    const sent = server.arrived.length;
    await expect(client.request({ path: "/v1/x" })).rejects.toBeInstanceOf(NotLoggedInError);
    await expect(client.getObject("G")).rejects.toBeInstanceOf(NotLoggedInError);
    await expect(client.checkSession()).resolves.toBe(false);
    expect(server.arrived).toHaveLength(sent);
  });

  test("succeeds for an ended session", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    await client.logOut();
    expect(client.session).toBeUndefined();
    expect(server.count(`POST ${logInPaths[mode]}`)).toBe(1);
  });

  test("can be repeated after a failure, and forgets the credentials at once", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/logout", () => refusal(703, 500));
    const session = [...server.sessions];
    await expect(client.logOut()).rejects.toMatchObject({ code: 703 });
    for (const each of session) server.sessions.add(each);
    await expect(client.checkSession()).resolves.toBe(true);

    server.routes.delete("session /v1/logout");
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ httpStatus: 401 });
    expect(server.count(`POST ${logInPaths[mode]}`)).toBe(1);
    await client.logOut();
    expect(client.session).toBeUndefined();
  });

  test("overtakes a log-in in progress", async () => {
    const { server } = connected();
    const [arrived, waiting] = [latch(), latch()];
    const { client } = connected({
      fetch: async (input, init) => {
        const answer = await server.fetch(input, init);
        if (!String(input).endsWith(logInPaths[mode])) return answer;
        arrived.open();
        await waiting.passed;
        return answer;
      },
    });
    const outcome = client.logIn(logInOptions(mode)).catch((error: unknown) => error);
    await arrived.passed;
    await client.logOut();
    waiting.open();
    expect(await outcome).toBeInstanceOf(NotLoggedInError);
    expect(client.session).toBeUndefined();
    expect(server.sessions.size).toBe(0);
  });
});

test("a log-out without a session sends nothing", async () => {
  const { server, client } = connected();
  await client.logOut();
  expect(server.arrived).toEqual([]);
});

test("the later one of two concurrent log-ins stays", async () => {
  const { server, client } = connected();
  const outcomes = await Promise.allSettled([
    client.logIn(logInOptions("session")),
    client.logIn(logInOptions("token")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(client.session?.mode).toBe("token");
  expect(server.sessions.size).toBe(1);
});

const ticket: ClassStructure = {
  name: "Ticket",
  base: "Document",
  builtIn: false,
  attributes: [
    { name: "Title", type: "string", mandatory: true, indexed: false, inherited: true },
    {
      name: "Customer",
      type: "reference",
      target: "Customer",
      mandatory: false,
      indexed: true,
      indexState: "building",
      onDelete: "clear",
      inherited: false,
    },
    { name: "Text", type: "string", mandatory: false, indexed: false, inherited: false },
  ],
  permissions: ["read"],
  rights: [{ group: "*", permissions: ["read"] }],
};

test("the definition of a class contains its own parts of the structure", () => {
  expect(definitionOf(ticket)).toEqual({
    base: "Document",
    attributes: [
      { name: "Customer", type: "reference", target: "Customer", mandatory: false, indexed: true, onDelete: "clear" },
      { name: "Text", type: "string", mandatory: false, indexed: false },
    ],
    rights: [{ group: "*", permissions: ["read"] }],
  });
});

test("a class whose rights cannot be read has no definition, since writing it would remove them", () => {
  const { rights: _rights, ...ofReader } = ticket;
  expect(() => definitionOf(ofReader)).toThrow(TypeError);
});

describe.each(modes)("classes in mode %s", (mode) => {
  test("are read, put and removed", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/model/structure", () => success({ classes: [ticket] }, { etag: '"4"' }));
    server.routes.set("session /v1/model/structure/Ticket", ({ method }) =>
      success(method === "PUT" ? ticket : {}, { etag: '"5"' }),
    );
    const structure = await client.getStructure();
    expect([structure, versionOf(structure)]).toEqual([{ classes: [ticket] }, '"4"']);
    const put = await client.putClass(
      "Ticket",
      { attributes: [{ name: "Text", type: "string" }] },
      { ifMatch: structure },
    );
    expect([put, versionOf(put)]).toEqual([ticket, '"5"']);
    await client.removeClass("Ticket", { ifMatch: put });
    await client.removeClass("Ticket");
    const sent = server.arrived
      .slice(-3)
      .map(({ method, path, headers, body }) => [method, path, headers.get("if-match"), body]);
    expect(sent).toEqual([
      ["PUT", "/v1/model/structure/Ticket", '"4"', '{"attributes":[{"name":"Text","type":"string"}]}'],
      ["DELETE", "/v1/model/structure/Ticket", '"5"', ""],
      ["DELETE", "/v1/model/structure/Ticket", null, ""],
    ]);
  });
});

const done = (data: unknown) => ({
  httpStatus: 200,
  result: { status: { internalStatus: "0", statusMessage: "ok" }, data },
});
const refused = (code: number, httpStatus: number, debugMessage?: string) => ({
  httpStatus,
  result: { status: { internalStatus: String(code), statusMessage: `Failure ${code}`, debugMessage } },
});

describe.each(modes)("many requests in one, in mode %s", (mode) => {
  test("are sent as one message, and return their results in order", async () => {
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

  test("are all or nothing on request", async () => {
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

  test("are refused with a query in a path, or with another number of results", async () => {
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

describe.each(modes)("macro, in mode %s", (mode) => {
  test("receives its input or nothing, and returns its result", async () => {
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
