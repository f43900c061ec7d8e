import type { RunningServer } from "../../src/index.ts";
import { call, checkSession, type Sent } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openStage } from "../faults/stage.ts";
import { newUser, repositoriesOf } from "../password-suite.ts";

/** What somebody would try who has found out that there is more than one way in. */

const freeFailures = 4;

let server: RunningServer;
beforeEach(async () => {
  const throttle = {
    THROTTLE_ADDRESS_FREE_FAILURES: "1000",
    THROTTLE_USER_FREE_FAILURES: String(freeFailures),
    THROTTLE_FIRST_DELAY: "10m",
    THROTTLE_LONGEST_DELAY: "10m",
  };
  server = await startDemoServer("memory", throttle);
}, 60_000);
afterEach(() => server.close());

const doors = { user: "/v1/login", custom: "/v1/auth/df" } as const;
const logIn = async (door: keyof typeof doors, user: string, pass: string, headers: Sent["headers"] = {}) =>
  call(server, doors[door], { method: "POST", headers, body: { user, pass, appNames: "demo-app" } });
const told = ({ code, headers }: Awaited<ReturnType<typeof logIn>>) =>
  `${code}${headers["retry-after"] === undefined ? "" : " later"}`;
const failures = async (door: keyof typeof doors, names: readonly string[]) => {
  const outcomes: string[] = [];
  for (const name of names) outcomes.push(told(await logIn(door, name, "a wrong password")));
  return outcomes;
};
const many = (name: string) => Array.from({ length: freeFailures + 2 }, () => name);

test("failures at one door keep nobody out at another, whatever the name that is shown there", async () => {
  const key = (...parts: readonly string[]) => parts.join("\u0000");
  const { account } = await repositoriesOf(server).accounts.find({ realm: "custom", loginName: "partner" }, []);
  for (const name of [
    "partner",
    key("custom", "partner"),
    key("factor", `custom:${account?.id}`, "demo-app"),
    key("provider", "https://accounts.google.com", "1"),
  ])
    await failures("user", many(name));
  expect(told(await logIn("custom", "partner", "partner"))).toBe("0");
  await failures("custom", many("demo"));
  expect(told(await logIn("user", "demo", "demo"))).toBe("0");
});

test("spellings of a name are no more guesses than the name has", async () => {
  const { name } = await newUser(server);
  const spellings = [
    name,
    name.toUpperCase(),
    ` ${name}`,
    `${name} `,
    `${name}\u200b`,
    `${name}\u0000`,
    name.replace("s", "\uff53"),
    name.normalize("NFKD"),
  ];
  for (const spelling of spellings.filter((each) => each !== name)) {
    const { code } = await logIn("user", spelling, "the first password");
    expect([spelling, code]).toEqual([spelling, "302"]);
  }
  // What is taken for the same name is counted as the same.
  const repositories = repositoriesOf(server);
  const [user] = await repositories.objects.insert([{ className: "User", attributes: { Name: "M\u00fcller" } }]);
  const secret = (await repositories.accounts.find({ realm: "database", loginName: name }, [])).account
    ?.secret as string;
  await repositories.accounts.create(
    { userId: user?.id as string, loginName: "M\u00fcller", secret, administrator: false },
    "m\u00fcller",
  );
  const guesses = ["M\u00fcller", "Mu\u0308ller", "M\u00fcller", "Mu\u0308ller"];
  expect(await failures("user", guesses)).toEqual(["302", "302", "302", "302 later"]);
  expect([
    told(await logIn("user", "M\u00fcller", "the first password")),
    told(await logIn("user", "Mu\u0308ller", "the first password")),
  ]).toEqual(["302 later", "302 later"]);
  expect(await failures("custom", ["partner", "PARTNER", " partner", "p\uff41rtner"])).toEqual([
    "302",
    "302",
    "302",
    "302 later",
  ]);
  expect(told(await logIn("custom", "partner", "partner"))).toBe("302 later");
});

test("a session of whichever door is good with its app key, in its database and in its header alone", async () => {
  const { body } = await logIn("custom", "partner", "partner");
  const { sessionId } = body.data;
  expect(await checkSession(server, sessionId)).toBe("0");
  const send = async (path: string, headers: Record<string, string>) => (await call(server, path, { headers })).code;
  expect(await send("/second/_CheckSession", { sessionid: sessionId })).toBe("201");
  expect(await send("/_CheckSession", { authorization: sessionId })).toBe("203");
  expect(await send("/_CheckSession", { "secure-token": sessionId })).toBe("203");
  expect(
    await send("/_CheckSession", { sessionid: sessionId, cookie: `sessionId=${sessionId}`, appkey: "another app key" }),
  ).toBe("101");
  expect(await send(`/_CheckSession?sessionId=${sessionId}`, { cookie: `sessionId=${sessionId}` })).toBe("200");
});

test("a refused log-in asks storage for the same whether there is such a user or not", async () => {
  const stage = await openStage("memory");
  try {
    const callsOf = async (path: string, user: string) => {
      const calls = await stage.script.record(async () => {
        const { code } = await stage.send({
          method: "POST",
          path,
          body: { user, pass: "a wrong password", appNames: ["demo-app"] },
          sessionId: null,
        });
        expect(code).toBe(302);
      });
      return calls.map(({ name, within }) => `${within} ${name}`);
    };
    for (const [path, known] of [
      ["/v1/login", "demo"],
      ["/v2/login", "demo"],
      ["/v1/auth/df", "partner"],
    ] as const) {
      await callsOf(path, known);
      expect(await callsOf(path, "nobody of this name")).toEqual(await callsOf(path, known));
    }
  } finally {
    await stage.close();
  }
}, 60_000);
