import { Applications, SecondFactors } from "@sallyport/core";
import { faults, Gate } from "@sallyport/storage-faults";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { openStage } from "../faults/stage.ts";
import { repositoriesOf } from "../password-suite.ts";
import { Authenticator, enter, factorRequests } from "../second-factor-client.ts";
import { secondFactorEnvironment } from "../second-factor-suite.ts";

/** What somebody would try who knows a password, and not the second factor. */

let server: RunningServer;
let authenticator: Authenticator;
let recoveryCodes: readonly string[];

beforeEach(async () => {
  server = await startDemoServer("memory", {
    ...secondFactorEnvironment,
    THROTTLE_USER_FREE_FAILURES: "5",
    THROTTLE_FIRST_DELAY: "10m",
    THROTTLE_LONGEST_DELAY: "10m",
  });
  const { records } = repositoriesOf(server);
  const [applications, secondFactors] = [new Applications(records), new SecondFactors(records)];
  for (const name of ["guarded", "guarded too"])
    await applications.create({ name, seats: null, secondFactor: "optional" });
  const factor = factorRequests(server, await enter(server, "session", "demo", ["guarded"]), "guarded");
  const enrolled = await factor.enrol();
  recoveryCodes = enrolled.recoveryCodes;
  authenticator = await Authenticator.of(server, enrolled.secret);
  const [begun] = await secondFactors.list(null, 1);
  expect(begun !== undefined && (await secondFactors.accept(begun, 0))).toBe(true);
}, 60_000);
afterEach(() => server.close());

const logIn = async (appNames: readonly string[], token?: string) => {
  const { code, headers } = await call(server, "/v1/login", {
    method: "POST",
    body: { user: "demo", pass: "demo", appNames, ...(token === undefined ? {} : { "2faToken": token }) },
  });
  return `${code}${headers["retry-after"] === undefined ? "" : " later"}`;
};

test("wrong tokens are counted, however often one logs in meanwhile where none is asked for", async () => {
  const codes: string[] = [];
  for (let round = 0; round < 7; round += 1)
    codes.push(await logIn(["guarded"], authenticator.wrong()), await logIn(["demo-app"]));
  expect(codes.filter((_code, index) => index % 2 === 0)).toEqual([
    "342",
    "342",
    "342",
    "342",
    "342 later",
    "342 later",
    "342 later",
  ]);
  // The user himself is kept out of nothing but what the tokens guard; there the right token has to wait, too.
  expect(codes.filter((_code, index) => index % 2 === 1)).toEqual(Array.from({ length: 7 }, () => "0"));
  expect([
    await logIn(["guarded"], authenticator.token()),
    await logIn(["guarded"], recoveryCodes[0]),
    await logIn(["guarded"]),
  ]).toEqual(["342 later", "342 later", "341"]);
});

test("a right token has wrong ones before it forgotten", async () => {
  for (const token of [authenticator.token(), authenticator.token(1)]) {
    for (let round = 0; round < 4; round += 1) expect(await logIn(["guarded"], authenticator.wrong())).toBe("342");
    expect(await logIn(["guarded"], token)).toBe("0");
  }
});

test("one log-in is one guess, however many tokens it shows", async () => {
  const wrong = authenticator.wrong();
  expect(await logIn(["guarded"], `${wrong},${authenticator.token()}`)).toBe("342");
  expect(await logIn(["guarded", "guarded too"], `${wrong},${authenticator.token()}`)).toBe("342");
  expect(await logIn(["guarded"], `,${authenticator.token()}`)).toBe("342");
  expect(await logIn(["guarded"], authenticator.token())).toBe("0");
});

test("many guesses at once lock out whoever makes them", async () => {
  const codes = await Promise.all(Array.from({ length: 30 }, () => logIn(["guarded"], authenticator.wrong())));
  // Some come when the user is locked out altogether.
  expect(codes.filter((code) => !/^342|^302 later$/.test(code))).toEqual([]);
  expect(await logIn(["guarded"], authenticator.token())).toMatch(/ later$/);
});

test("whoever switches a factor off just when it is confirmed is asked for a token of it", async () => {
  const stage = await openStage("memory", {}, secondFactorEnvironment);
  try {
    const { records } = stage.storage.repositories;
    const [applications, secondFactors] = [new Applications(records), new SecondFactors(records)];
    await applications.create({ name: "guarded", seats: null, secondFactor: "optional" });
    const { sessionId } = (
      await stage.send({
        method: "POST",
        path: "/v1/login",
        body: { user: "demo", pass: "demo", appNames: ["guarded"] },
        sessionId: null,
      })
    ).data;
    const send = (method: "POST" | "DELETE") => stage.send({ method, path: "/v1/2fa/secret?app=guarded", sessionId });
    await send("POST");
    const gate = new Gate();
    stage.script.add({ call: "transaction", fault: faults.slow(gate) });
    const switchedOff = send("DELETE");
    await gate.reached;
    const [begun] = await secondFactors.list(null, 1);
    expect(begun !== undefined && (await secondFactors.accept(begun, 0))).toBe(true);
    gate.open();
    expect(await switchedOff).toMatchObject({ status: 401, code: 341 });
    expect(await secondFactors.list(null, 10)).toEqual([
      { ...begun, confirmed: true, lastStep: 0, version: expect.any(Number) },
    ]);
    expect(await send("DELETE")).toMatchObject({ code: 341 });
  } finally {
    await stage.close();
  }
}, 60_000);
