import { randomUUID } from "node:crypto";
import type { ClientSession } from "@sallyport/client";
import { Applications, type NewApplication } from "@sallyport/core";
import { type Answer, callIn, checkSessionIn, logOutIn, multiResults, tryLogIn } from "../client.ts";
import { sessionEndedCode, testedModes } from "../modes.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { Authenticator, attempt, factorRequests, logInWith, logInWithFactor } from "../second-factor-client.ts";
import { newUser } from "../new-user.ts";
import { onEngines, withoutLockout } from "../engines.ts";

/** Licence seats of app names: log-ins, reservations and releases. */
onEngines(
  "seats",
  (server) => {
    const applications = () => new Applications(repositoriesOf(server()).records);
    /** A new app name. */
    const create = async (application: Omit<NewApplication, "name">): Promise<string> => {
      const name = `app ${randomUUID()}`;
      await applications().create({ name, ...application });
      return name;
    };
    const post = (session: ClientSession, action: "reserve" | "release", body: object): Promise<Answer> =>
      callIn(server(), session, `/v1/license/${action}`, { method: "POST", body });
    const codeOf = async (answer: Promise<Answer>) => (await answer).code;
    const reserve = (session: ClientSession, appNames: unknown, more = {}) =>
      codeOf(post(session, "reserve", { appNames, ...more }));
    const release = (session: ClientSession, appNames: unknown) => codeOf(post(session, "release", { appNames }));
    const taken = (name: string) => repositoriesOf(server()).sessions.count({ name, kind: "concurrent" });

    describe.each(testedModes)("in mode %s", (mode) => {
      const open = (user: string, ...appNames: readonly string[]) => logInWithFactor(server(), mode, user, appNames);
      const codeOfLogIn = (user: string, appName: string, more = {}) =>
        attempt(server(), mode, { user, appNames: [appName], ...more });

      test("are taken by log-ins, shared on a device, and free after a log-out", async () => {
        const app = await create({ seats: 2 });
        const phone = { device: { deviceId: "phone" } };
        const session = await open("demo", app);
        expect([
          await codeOfLogIn("demo", app, phone),
          await codeOfLogIn("demo", app, phone),
          await codeOfLogIn("reader", app, phone),
          await codeOfLogIn("demo", app),
          await codeOfLogIn("demo", "demo-app"),
        ]).toEqual(["0", "0", "306", "306", "0"]);
        await logOutIn(server(), session);
        expect([await codeOfLogIn("reader", app, phone), await codeOfLogIn("reader", app)]).toEqual(["0", "306"]);
      });

      test("follow the current number and kind", async () => {
        const app = await create({ seats: 1, seatKind: "user" });
        expect([await codeOfLogIn("demo", app), await codeOfLogIn("demo", app)]).toEqual(["0", "0"]);
        expect(await codeOfLogIn("reader", app)).toBe("306");
        await applications().setSeats(app, { seats: 2, seatKind: "concurrent" });
        expect(await codeOfLogIn("demo", app)).toBe("306");
        await applications().setSeats(app, { seats: 3 });
        expect([await codeOfLogIn("reader", app), await codeOfLogIn("reader", app)]).toEqual(["0", "306"]);
        await applications().setSeats(app, { seats: null });
        expect(await codeOfLogIn("reader", app)).toBe("0");
      });

      test("are not taken by a refused log-in or a session that enrols", async () => {
        const app = await create({ seats: 1, secondFactor: "forced" });
        expect([
          await codeOfLogIn("demo", app, { pass: "wrong" }),
          await codeOfLogIn("demo", app),
          await codeOfLogIn("demo", app, { "2faEnrol": true }),
          await codeOfLogIn("demo", app, { "2faEnrol": true }),
        ]).toEqual(["302", "340", "0", "0"]);
        expect(await taken(app)).toBe(0);
      });

      test("are reserved and released with the session, and give no rights", async () => {
        const [app, other] = [await create({ seats: 1 }), await create({ seats: null })];
        const [session, rival] = [await open("demo", "demo-app"), await open("reader", "demo-app")];
        expect(await post(session, "reserve", { appNames: [app, other] })).toMatchObject({
          status: 200,
          body: { status: { internalStatus: "0" }, data: {} },
        });
        expect([await reserve(session, app), await reserve(session, ["demo-app"])]).toEqual(["0", "0"]);
        expect([await reserve(rival, [other, app]), await release(rival, other)]).toEqual(["306", "323"]);
        expect(await codeOfLogIn("reader", app)).toBe("306");
        expect((await callIn(server(), session, `/v1/2fa/secret?app=${encodeURIComponent(app)}`)).code).toBe("208");
        expect([await release(session, [app, other]), await release(session, app)]).toEqual(["0", "323"]);
        expect(await codeOfLogIn("reader", app)).toBe("0");
        expect(await reserve(session, app)).toBe("306");
      });

      test("of the log-in are released, and the session goes on without the app name", async () => {
        const app = await create({ seats: 1 });
        const session = await open("demo", "demo-app", app);
        expect(await release(session, ["demo-app", app])).toBe("0");
        expect(await codeOfLogIn("reader", app)).toBe("0");
        expect([await checkSessionIn(server(), session), await release(session, "demo-app")]).toEqual(["0", "323"]);
        expect((await callIn(server(), session, "/v1/objects/Customer?perPage=1")).code).toBe("0");
        expect((await callIn(server(), session, "/v1/2fa/secret?app=demo-app")).code).toBe("208");
        await logOutIn(server(), session);
        expect([await release(session, app), await reserve(session, "demo-app")]).toEqual(
          Array(2).fill(sessionEndedCode[mode]),
        );
      });

      test("need the second factor of the app name, and count wrong tokens with those of log-ins", async () => {
        const app = await create({ seats: 1, secondFactor: "optional" });
        const user = await newUser(server());
        const password = "the first password";
        const logIn = (appName: string) =>
          logInWith(server(), { mode, user: user.name, password, appNames: [appName] });
        const first = await logIn(app);
        const factor = factorRequests(server(), first, app);
        const authenticator = await Authenticator.of(server(), (await factor.enrol()).secret);
        await factor.confirm(authenticator.token());
        await logOutIn(server(), first);
        const session = await logIn("demo-app");
        expect([
          await reserve(session, app),
          await reserve(session, app, { "2faToken": "" }),
          await reserve(session, app, { "2faToken": authenticator.wrong() }),
          await reserve(session, app, { "2faToken": authenticator.token() }),
        ]).toEqual(["341", "341", "342", "342"]);
        expect(await taken(app)).toBe(0);
        const token = authenticator.token(1);
        expect([
          await reserve(session, app, { "2faToken": token }),
          await reserve(session, app, { "2faToken": token }),
          await release(session, app),
          await reserve(session, app, { "2faToken": token }),
        ]).toEqual(["0", "0", "0", "342"]);
        for (let guess = 0; guess < 12; guess += 1) await reserve(session, app, { "2faToken": authenticator.wrong() });
        const locked = await post(session, "reserve", { appNames: app, "2faToken": authenticator.token(2) });
        expect(locked).toMatchObject({ status: 401, code: "342", headers: { "retry-after": expect.any(String) } });
        const fields = { user: user.name, pass: password, appNames: [app], "2faToken": authenticator.token(2) };
        expect(await attempt(server(), mode, fields)).toBe("342");
      });

      test.each([
        [{}, "209"],
        [{ appNames: [] }, "208"],
        [{ appNames: ["demo-app", " "] }, "208"],
        [{ appNames: 5 }, "208"],
        [{ appNames: ["demo-app", "demo-app"] }, "210"],
      ])("refuse the body %j with %s", async (body, code) => {
        const session = await open("demo", "demo-app");
        for (const action of ["reserve", "release"] as const)
          expect((await post(session, action, body)).code).toBe(code);
      });

      test("of unknown app names are not reserved, and not held", async () => {
        const session = await open("demo", "demo-app");
        expect([await reserve(session, ["demo-app", "unknown"]), await release(session, "unknown")]).toEqual([
          "208",
          "323",
        ]);
      });
    });

    test("are reserved and released inside multi requests, and given back with a transaction", async () => {
      const app = await create({ seats: 1 });
      const session = await logInWithFactor(server(), "session", "demo", ["demo-app"]);
      const item = (action: string) => ({ method: "POST", path: `/v1/license/${action}`, data: { appNames: [app] } });
      const send = (path: string, ...items: readonly object[]) =>
        callIn(server(), session, path, { method: "POST", body: items });
      const { body } = await send("/v1/multi", item("reserve"), item("release"), item("release"), item("reserve"));
      expect(multiResults(body.data).map(({ result }) => result)).toEqual([{}, {}, 323, {}]);
      expect(await send("/v1/multi?atomic=true", item("release"), item("release"))).toMatchObject({ code: "323" });
      expect(await taken(app)).toBe(1);
      expect(
        await send("/v1/multi?atomic=true", item("release"), { method: "GET", path: "/_CheckSession" }),
      ).toMatchObject({ code: "0" });
      expect(await taken(app)).toBe(0);
    });

    test("are exact in concurrent log-ins and reservations", async () => {
      const app = await create({ seats: 2 });
      const session = await logInWithFactor(server(), "session", "demo", ["demo-app"]);
      const codes = await Promise.all([
        ...Array.from({ length: 10 }, async () => (await tryLogIn(server(), "demo", { appNames: [app] })).code),
        ...Array.from({ length: 5 }, () => reserve(session, app)),
      ]);
      const ofLogIns = codes.slice(0, 10).filter((code) => code === "0").length;
      const reserved = codes.slice(10).includes("0") ? 1 : 0;
      expect(ofLogIns + reserved).toBe(2);
      expect(await taken(app)).toBe(2);
    });
  },
  { environment: withoutLockout },
);
