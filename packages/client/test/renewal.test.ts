import { NotLoggedInError, SallyportError, TransportError } from "@sallyport/client";
import { refusal, success } from "./fake-server.ts";
import { connected, gate, loggedIn, logInOptions, logInPaths, modes } from "./modes.ts";

describe.each(modes)("a session that is over in mode %s", (mode) => {
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

  test("is renewed once for all calls that notice", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.request({ method: "POST", path: `/v1/execute/m${n}`, body: { n } })),
    );
    expect(logIns(server)).toBe(2);
    expect(server.sessions.size).toBe(1);
  });

  test("is renewed again when it is over again", async () => {
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

  test("is not renewed when the client or the call does not want it", async () => {
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

  test("is not renewed when the log-in took a second factor", async () => {
    const { server, client } = connected();
    await client.logIn(logInOptions(mode, { twoFactorToken: "123456" }));
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toBeInstanceOf(SallyportError);
    expect(logIns(server)).toBe(1);
  });

  test("is told by the check, which renews nothing", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    await expect(client.checkSession()).resolves.toBe(false);
    expect(logIns(server)).toBe(1);
  });

  test("is not renewed with credentials that are refused, and they are not tried again", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    server.password = "changed";
    const calls = await Promise.allSettled([client.request({ path: "/v1/x" }), client.request({ path: "/v1/y" })]);
    expect(calls.map((each) => (each as PromiseRejectedResult).reason.code)).toEqual([302, 302]);
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ httpStatus: 401 });
    expect(logIns(server)).toBe(2);
  });

  test("is renewed later when the server could not do so at once", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    server.routes.set(logInPaths[mode], () => refusal(706, 503, { "retry-after": "1" }));
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 706, retryAfter: 1 });
    server.routes.delete(logInPaths[mode]);
    await expect(client.request({ path: "/v1/x" })).resolves.toMatchObject({ data: {} });
  });

  test("is not renewed for somebody who logs out meanwhile, and nothing is left open", async () => {
    const { server } = connected();
    const [noticed, waiting] = [gate(), gate()];
    let isHeldUp = false;
    const { client } = await loggedIn(mode, {
      fetch: async (input, init) => {
        const answer = await server.fetch(input, init);
        if (!isHeldUp || !String(input).endsWith(logInPaths[mode])) return answer;
        noticed.open();
        await waiting.passed;
        return answer;
      },
    });
    server.endSessions();
    isHeldUp = true;
    const call = client.request({ path: "/v1/x" }).catch((error: unknown) => error);
    await noticed.passed;
    await client.logOut();
    waiting.open();
    expect(await call).toBeInstanceOf(NotLoggedInError);
    expect(server.sessions.size).toBe(0);
    expect(client.session).toBeUndefined();
  });
});

describe.each([312, 314])("a secure session that the server answers with %i", (code) => {
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

test("a call may give up waiting for a renewal that others still wait for", async () => {
  const { server, client } = await loggedIn("session");
  server.endSessions();
  const [noticed, waiting] = [gate(), gate()];
  const original = server.routes;
  original.set("/v1/login", async ({ body }) => {
    noticed.open();
    await waiting.passed;
    original.delete("/v1/login");
    return server.fetch("https://db.example/v1/login", { method: "POST", headers: { appkey: "key" }, body });
  });
  const controller = new AbortController();
  const impatient = client.request({ path: "/v1/x", signal: controller.signal }).catch((error: unknown) => error);
  const patient = client.request({ path: "/v1/y" });
  await noticed.passed;
  const reason = new Error("enough");
  controller.abort(reason);
  expect(await impatient).toBe(reason);
  waiting.open();
  await expect(patient).resolves.toMatchObject({ data: {} });
  expect(server.count("GET /v1/x")).toBe(1);
});

test("a failed connection renews nothing and repeats nothing", async () => {
  const { server, client } = await loggedIn("session");
  server.routes.set("/v1/x", () => {
    throw new TypeError("fetch failed");
  });
  await expect(client.request({ method: "POST", path: "/v1/x", body: {} })).rejects.toBeInstanceOf(TransportError);
  expect(server.log).toEqual(["POST /v1/login", "POST /v1/x"]);
});
