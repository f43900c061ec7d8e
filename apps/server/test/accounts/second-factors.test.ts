import { SecondFactors, Applications } from "@sallyport/core";
import { call, callIn, checkSessionIn, multiResults } from "../client.ts";
import { modes, testedModes } from "../modes.ts";
import {
  attempt,
  Authenticator,
  logInWithFactor,
  type Enrolled,
  factorRequests,
  secondFactorEnvironment,
} from "../second-factor-client.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";

/** Second factors, in every mode and on every engine. */
onEngines(
  "second factors",
  (server) => {
    const repositories = () => repositoriesOf(server());

    beforeAll(async () => {
      const applications = new Applications(repositories().records);
      for (const mode of modes) {
        await applications.create({ name: `may-${mode}`, seats: null, secondFactor: "optional" });
        await applications.create({ name: `must-${mode}`, seats: null, secondFactor: "forced" });
      }
      await applications.create({ name: "may", seats: null, secondFactor: "optional" });
      await applications.create({ name: "may, too", seats: null, secondFactor: "optional" });
    });

    const trail = async (after: number) =>
      (await repositories().audit.read(after, 1_000)).filter(({ type }) => type.startsWith("secondFactor."));
    const last = async () =>
      Math.max(0, ...(await repositories().audit.read(0, 100_000)).map(({ sequence }) => sequence));

    /** A logged-in user with a confirmed factor for the app name. */
    const confirmed = async (user: string, app: string) => {
      const { accounts, records } = repositories();
      const secondFactors = new SecondFactors(records);
      const { account } = await accounts.find({ realm: "database", loginName: user }, []);
      const subject = `user:${account?.userId ?? ""}`;
      await secondFactors.remove(subject, app);
      const session = await logInWithFactor(server(), "session", user, [app]);
      const factor = factorRequests(server(), session, app);
      const enrolled = await factor.enrol();
      // Of an old step, so that the current ones are left.
      const [begun] = await secondFactors.find(subject, [app]);
      expect(begun !== undefined && (await secondFactors.accept(begun, 0))).toBe(true);
      return { session, factor, enrolled, authenticator: await Authenticator.of(server(), enrolled.secret) };
    };

    describe.each(testedModes)("in mode %s", (mode) => {
      const app = `may-${mode}`;
      const logIn = (token?: unknown, more = {}) =>
        attempt(server(), mode, {
          user: "reader",
          appNames: [app],
          ...(token === undefined ? {} : { "2faToken": token }),
          ...more,
        });

      test("are required once they are confirmed, and each token is valid once", async () => {
        const session = await logInWithFactor(server(), mode, "reader", [app]);
        const factor = factorRequests(server(), session, app);
        expect(await factor.state()).toEqual({ isActivated: false, isConfirmed: false, "2faStatus": 2 });
        const abandoned = await factor.enrol();
        const { secret, otpauthUrl, recoveryCodes } = await factor.enrol();
        expect(secret).not.toBe(abandoned.secret);
        expect(new URL(otpauthUrl).searchParams.get("secret")).toBe(secret);
        expect(new Set(recoveryCodes).size).toBe(10);
        expect(await factor.state()).toEqual({ isActivated: true, isConfirmed: false, "2faStatus": 2 });
        // An unconfirmed factor is not required.
        expect(await logIn()).toBe("0");
        const [authenticator, other] = await Promise.all([
          Authenticator.of(server(), secret),
          Authenticator.of(server(), abandoned.secret),
        ]);
        expect(await factor.confirm(other.token())).toMatchObject({ status: 401, code: "342" });
        expect(await factor.confirm(recoveryCodes[0])).toMatchObject({ status: 401, code: "342" });

        const otherSession = await logInWithFactor(server(), "session", "reader", ["demo-app"]);
        const [used, next] = [authenticator.token(), authenticator.token(1)];
        expect(await factor.confirm(used)).toMatchObject({ status: 200, code: "0", body: { data: {} } });
        expect(await checkSessionIn(server(), otherSession)).toBe("201");
        expect(await factor.state()).toEqual({ isActivated: true, isConfirmed: true, "2faStatus": 2 });

        expect([await logIn(), await logIn(""), await logIn("  ")]).toEqual(["341", "341", "341"]);
        expect([await logIn(used), await logIn(authenticator.wrong())]).toEqual(["342", "342"]);
        const wide = [...next].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join("");
        for (const token of [`${next}0`, `0${next}`, next.slice(1), ` ${next}`, wide, `${next}\n`])
          expect([token, await logIn(token)]).toEqual([token, "342"]);
        for (const token of [Number(next), [next], { token: next }, true])
          expect([token, await logIn(token)]).toEqual([token, "307"]);
        // Without the password, the existence of a factor is not revealed.
        for (const token of [undefined, next, "000000"]) expect(await logIn(token, { pass: "wrong" })).toBe("302");
        expect([await logIn(next), await logIn(next), await logIn(used)]).toEqual(["0", "342", "342"]);
        expect(await attempt(server(), mode, { user: "reader", appNames: ["demo-app"] })).toBe("0");

        const [first = "", second = ""] = recoveryCodes;
        expect([await logIn(first), await logIn(first), await logIn(abandoned.recoveryCodes[0])]).toEqual([
          "0",
          "342",
          "342",
        ]);
        expect(await logIn(second.toLowerCase().replaceAll("-", ""))).toBe("0");

        expect(await factor.remove("")).toMatchObject({ status: 401, code: "341" });
        expect(await factor.remove(second)).toMatchObject({ status: 401, code: "342" });
        expect(await factor.remove(recoveryCodes[2])).toMatchObject({ status: 200, code: "0" });
        expect(await factor.remove(recoveryCodes[3])).toMatchObject({ status: 404, code: "304" });
        expect(await factor.state()).toEqual({ isActivated: false, isConfirmed: false, "2faStatus": 2 });
        expect(await logIn()).toBe("0");
      });

      test("that are forced are set up in a session for enrolment only", async () => {
        const forced = `must-${mode}`;
        const logInForced = (more = {}) => attempt(server(), mode, { user: "reader", appNames: [forced], ...more });
        expect([
          await logInForced(),
          await logInForced({ "2faToken": "000000" }),
          await logInForced({ "2faEnrol": false }),
        ]).toEqual(["340", "340", "340"]);
        expect(await logInForced({ pass: "wrong", "2faEnrol": true })).toBe("302");
        expect(await logInForced({ "2faEnrol": "yes" })).toBe("307");
        expect(await logInForced({ "2faEnrol": true })).toBe("0");
        const { body } = await call(server(), "/v1/login", {
          method: "POST",
          body: { user: "reader", pass: "reader", appNames: [forced], "2faEnrol": true },
        });
        const sessionId: string = body.data.sessionId;
        for (const path of ["/v1/objects/Customer", "/v1/model/structure", "/v1/2fa/validate?app=demo-app"]) {
          const method = path.includes("validate") ? "POST" : "GET";
          expect([path, await call(server(), path, { method, sessionId })]).toEqual([
            path,
            expect.objectContaining({ status: 401, code: "340" }),
          ]);
        }
        expect(
          await call(server(), "/v1/multi", {
            method: "POST",
            sessionId,
            body: [{ method: "GET", path: "/v1/objects/Customer" }],
          }),
        ).toMatchObject({ code: "340" });
        for (const other of ["demo-app", app, "unknown"])
          expect(await call(server(), `/v1/2fa/secret?app=${other}`, { sessionId })).toMatchObject({
            status: 400,
            code: "208",
          });
        const path = `/v1/2fa/secret?app=${forced}`;
        expect((await call(server(), path, { sessionId })).body.data).toEqual({
          isActivated: false,
          isConfirmed: false,
          "2faStatus": 3,
        });
        const { secret, recoveryCodes } = (await call(server(), path, { method: "POST", sessionId })).body
          .data as Enrolled;
        const authenticator = await Authenticator.of(server(), secret);
        expect([
          await logInForced(),
          await logInForced({ "2faToken": authenticator.wrong() }),
          await logInForced({ "2faToken": recoveryCodes[0] }),
        ]).toEqual(["340", "342", "342"]);
        // The first log-in with a token confirms it, and ends the session for enrolment.
        expect(await logInForced({ "2faToken": authenticator.token() })).toBe("0");
        expect(await call(server(), "/_CheckSession", { sessionId })).toMatchObject({ status: 401, code: "201" });
        expect([
          await logInForced(),
          await logInForced({ "2faEnrol": true }),
          await logInForced({ "2faToken": authenticator.token() }),
        ]).toEqual(["341", "341", "342"]);

        const session = await logInWithFactor(server(), mode, "reader", [forced], authenticator.token(1));
        const factor = factorRequests(server(), session, forced);
        expect(await factor.state()).toEqual({ isActivated: true, isConfirmed: true, "2faStatus": 3 });
        expect(await factor.remove(recoveryCodes[0])).toMatchObject({ status: 400, code: "307" });
        expect(await factor.validate(recoveryCodes[0])).toMatchObject({ status: 200, code: "0" });
        expect(await checkSessionIn(server(), session)).toBe("0");
      });

      test("follow the current rule of the app name", async () => {
        const { authenticator, session } = await confirmed("admin", app);
        const applications = new Applications(repositories().records);
        const asAdmin = (more = {}) => attempt(server(), mode, { user: "admin", appNames: [app], ...more });
        expect(await asAdmin()).toBe("341");
        await applications.setSecondFactor(app, "off");
        expect([await asAdmin(), await asAdmin({ "2faToken": "000000" })]).toEqual(["0", "0"]);
        expect(await factorRequests(server(), session, app).state()).toEqual({
          isActivated: true,
          isConfirmed: true,
          "2faStatus": 1,
        });
        await applications.setSecondFactor(app, "forced");
        expect([
          await asAdmin(),
          await asAdmin({ "2faToken": authenticator.token() }),
          await attempt(server(), mode, { user: "demo", appNames: [app] }),
        ]).toEqual(["341", "0", "340"]);
        await applications.setSecondFactor(app, "optional");
      });
    });

    test("accept a token or recovery code for one of fifty concurrent log-ins", async () => {
      const { authenticator, enrolled } = await confirmed("demo", "may");
      for (const token of [authenticator.token(), enrolled.recoveryCodes[0]]) {
        const codes = await Promise.all(
          Array.from({ length: 50 }, () =>
            attempt(server(), "session", { user: "demo", appNames: ["may"], "2faToken": token }),
          ),
        );
        expect(codes.toSorted()).toEqual(["0", ...Array<string>(49).fill("342")]);
      }
    });

    test("take a token for each of several app names, and spend none unless all are right", async () => {
      const one = await confirmed("demo", "may");
      const other = await confirmed("demo", "may, too");
      const both = (token: string) =>
        attempt(server(), "session", { user: "demo", appNames: ["may", "demo-app", "may, too"], "2faToken": token });
      const [first, second] = [one.authenticator.token(), other.authenticator.token()];
      expect([
        await both(first),
        await both(second),
        await both(`${first},${other.authenticator.wrong()}`),
        await both(`${first},`),
      ]).toEqual(["342", "342", "342", "342"]);
      expect([await both(`${second},${first}`), await both(`${second},${first}`)]).toEqual(["0", "342"]);
      expect(await both(`${one.enrolled.recoveryCodes[0] ?? ""},${other.authenticator.token(1)}`)).toBe("0");
      expect(await both(Array.from({ length: 2_000 }, () => first).join(","))).toBe("307");
    });

    test("are validated again for a sensitive step, which spends the token", async () => {
      const { factor, authenticator, session } = await confirmed("demo", "may");
      expect(await factor.validate(authenticator.wrong())).toMatchObject({ status: 401, code: "342" });
      const codes = await Promise.all(
        Array.from({ length: 20 }, async () => (await factor.validate(authenticator.token())).code),
      );
      expect(codes.toSorted()).toEqual(["0", ...Array<string>(19).fill("342")]);
      expect(
        await attempt(server(), "session", { user: "demo", appNames: ["may"], "2faToken": authenticator.token() }),
      ).toBe("342");
      for (const body of [undefined, {}, { token: "" }]) {
        expect(
          await callIn(server(), session, "/v1/2fa/validate?app=may", { method: "POST", ...(body && { body }) }),
        ).toMatchObject({ status: 401, code: "341" });
      }
      for (const token of [123_456, ["123456"], {}, "1".repeat(2_000)])
        expect(await factor.validate(token)).toMatchObject({ status: 400, code: "307" });
    });

    test("accept a token once among concurrent validations, log-ins and guesses", async () => {
      const { factor, authenticator } = await confirmed("demo", "may");
      const right = authenticator.token();
      const logIn = () => attempt(server(), "session", { user: "demo", appNames: ["may"], "2faToken": right });
      const ways = [
        async () => (await factor.validate(right)).code,
        async () => (await factor.validate(authenticator.wrong())).code,
        logIn,
      ];
      for (let round = 0; round < 3; round += 1) {
        const codes = await Promise.all(
          Array.from({ length: 30 }, (_, index) => (ways[index % 3] as () => Promise<string>)()),
        );
        expect(codes.toSorted()).toEqual([
          ...(round === 0 ? ["0"] : []),
          ...Array<string>(round === 0 ? 29 : 30).fill("342"),
        ]);
      }
    });

    test("apply to the app names of the session that have a factor", async () => {
      const session = await logInWithFactor(server(), "session", "demo", ["demo-app", "may-token"]);
      const at = (path: string, method: "GET" | "POST" | "PATCH" | "DELETE" = "GET") =>
        callIn(server(), session, path, { method });
      for (const app of ["may", "unknown", "DEMO-APP", "%20", "", "__proto__"]) {
        for (const method of ["GET", "POST", "PATCH", "DELETE"] as const)
          expect([app, method, await at(`/v1/2fa/secret?app=${app}`, method)]).toEqual([
            app,
            method,
            expect.objectContaining({ status: 400, code: "208" }),
          ]);
        expect(await at(`/v1/2fa/validate?app=${app}`, "POST")).toMatchObject({ status: 400, code: "208" });
      }
      expect(await at("/v1/2fa/secret")).toMatchObject({ status: 400, code: "209" });
      expect(await at("/v1/2fa/secret?app=demo-app")).toMatchObject({
        body: { data: { isActivated: false, isConfirmed: false, "2faStatus": 1 } },
      });
      expect(await at("/v1/2fa/secret?app=demo-app", "POST")).toMatchObject({ status: 400, code: "307" });
      for (const method of ["PATCH", "DELETE"] as const)
        expect(await at("/v1/2fa/secret?app=may-token", method)).toMatchObject({ status: 404, code: "304" });
      const item = { method: "POST", path: "/v1/2fa/validate?app=may-token", data: { token: "000000" } };
      expect(
        multiResults((await callIn(server(), session, "/v1/multi", { method: "POST", body: [item] })).body.data),
      ).toEqual([{ httpStatus: 400, result: 307 }]);
    });

    test("can be disabled without a token while unconfirmed, and cannot be begun again once confirmed", async () => {
      const { factor } = await confirmed("demo", "may");
      expect(await factor.enrol()).toBeUndefined();
      const { accounts, records } = repositories();
      const secondFactors = new SecondFactors(records);
      await secondFactors.remove(
        `user:${(await accounts.find({ realm: "database", loginName: "demo" }, [])).account?.userId ?? ""}`,
        "may",
      );
      await factor.enrol();
      expect(await factor.remove("")).toMatchObject({ code: "0" });
      expect(await factor.state()).toMatchObject({ isActivated: false });
    });

    test("of custom users are their own, and end only their own sessions", async () => {
      const logIn = async (more = {}) =>
        call(server(), "/v1/auth/df", {
          method: "POST",
          body: { user: "partner", pass: "partner", appNames: ["may"], ...more },
        });
      const [sessionId, other]: string[] = [(await logIn()).body.data.sessionId, (await logIn()).body.data.sessionId];
      const reader = await logInWithFactor(server(), "session", "reader", ["may"]);
      const path = "/v1/2fa/secret?app=may";
      const send = (method: "POST" | "PATCH" | "DELETE", body?: object) =>
        call(server(), path, { method, sessionId: sessionId ?? "", ...(body && { body }) });
      const { secret, recoveryCodes } = (await send("POST")).body.data as Enrolled;
      const authenticator = await Authenticator.of(server(), secret);
      expect(await send("PATCH", { token: authenticator.token() })).toMatchObject({ code: "0" });
      expect((await call(server(), "/_CheckSession", { sessionId: other ?? "" })).code).toBe("201");
      // Users mapped to the same database user have another factor, or none.
      expect(await checkSessionIn(server(), reader)).toBe("0");
      expect(await attempt(server(), "session", { user: "reader", appNames: ["may"] })).toBe("0");
      const codes = [
        await logIn(),
        await logIn({ "2faToken": authenticator.token() }),
        await logIn({ pass: "wrong" }),
        await logIn({ "2faToken": authenticator.token(1) }),
      ].map(({ code }) => code);
      expect(codes).toEqual(["341", "342", "302", "0"]);
      expect((await send("DELETE", { token: recoveryCodes[0] })).code).toBe("0");
      expect((await logIn({ appNames: ["must-session"] })).code).toBe("340");
    });

    test("are audited without secrets", async () => {
      const before = await last();
      const { factor, enrolled, authenticator } = await confirmed("demo", "may");
      await factor.validate(authenticator.wrong());
      await factor.remove(enrolled.recoveryCodes[0]);
      const events = await trail(before);
      expect(events.map(({ type, outcome, appNames }) => [type, outcome, appNames.length])).toEqual([
        ["secondFactor.enrolled", 0, 1],
        ["secondFactor.refused", 342, 0],
        ["secondFactor.removed", 0, 1],
      ]);
      const written =
        JSON.stringify(await repositories().audit.read(before, 1_000)) +
        JSON.stringify(await new SecondFactors(repositories().records).list(null, 100));
      for (const secret of [enrolled.secret, authenticator.token(), ...enrolled.recoveryCodes])
        expect(written).not.toContain(secret);
    });
  },
  { environment: secondFactorEnvironment },
);
