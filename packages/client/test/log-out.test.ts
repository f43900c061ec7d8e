import { NotLoggedInError } from "@sallyport/client";
import { refusal } from "./fake-server.ts";
import { connected, gate, loggedIn, logInOptions, logInPaths, modes } from "./modes.ts";

describe.each(modes)("a log-out in mode %s", (mode) => {
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

  test("of a session that is over already is done", async () => {
    const { server, client } = await loggedIn(mode);
    server.endSessions();
    await client.logOut();
    expect(client.session).toBeUndefined();
    expect(server.count(`POST ${logInPaths[mode]}`)).toBe(1);
  });

  test("that fails can be tried again, and forgets the credentials at once", async () => {
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

  test("overtakes a log-in that is on its way", async () => {
    const { server } = connected();
    const [arrived, waiting] = [gate(), gate()];
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

test("without a session there is nothing to do", async () => {
  const { server, client } = connected();
  await client.logOut();
  expect(server.arrived).toEqual([]);
});

test("of two log-ins at once the later one stays", async () => {
  const { server, client } = connected();
  const outcomes = await Promise.allSettled([
    client.logIn(logInOptions("session")),
    client.logIn(logInOptions("token")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(client.session?.mode).toBe("token");
  expect(server.sessions.size).toBe(1);
});
