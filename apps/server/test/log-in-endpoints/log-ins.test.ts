import { type AuditEvent, type ErrorCode, identityLinkKind, linkOwner, type Repositories } from "@sallyport/storage";
import { addBan, administrationOf, Applications, removeBan } from "@sallyport/core";
import { SecondFactors, setAppRule } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { call, checkSession, tryLogIn } from "../client.ts";
import { Authenticator, type Enrolled } from "../second-factor-client.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";
import { type LogInEndpoint, type LogInAnswer, endpoints, type Fields } from "./log-in-endpoint.ts";
import { addressFailures, delayed, fillSessions, limitEnvironment, perUser, refusal, userFailures } from "./limits.ts";
import { type TestUser, createTestUser } from "./test-user.ts";
import { onEngines } from "../engines.ts";

/** Settings of servers with password log-ins. */
const logInEnvironment: Readonly<Record<string, string>> = {
  ...storedServerKeys,
  ...limitEnvironment,
  TRUSTED_PROXIES: "127.0.0.1",
  // For requests without a forwarded address, which are from an unknown client.
  ALLOW_INSECURE_TRANSPORT: "true",
};

let networks = 0;

/** Refusals of every log-in endpoint, with the same answers everywhere, and their audit: on every engine. */
onEngines(
  "log-in endpoints",
  (server) => {
    const database = () => {
      const found = server().databases.get("");
      if (!found) throw new Error("The demo has no database.");
      return found;
    };
    const repositories = (): Repositories => database().storage.repositories;
    const last = async () =>
      Math.max(0, ...(await repositories().audit.read(0, 100_000)).map(({ sequence }) => sequence));

    beforeAll(async () => {
      const { appKeys, records } = repositories();
      const applications = new Applications(records);
      for (const secondFactor of ["optional", "forced"] as const)
        await applications.create({ name: `door ${secondFactor}`, seats: null, secondFactor });
      await appKeys.create(
        { name: "narrow", appNames: ["demo-app"], origins: [] },
        new NodeDigests().sha256("narrow key"),
      );
    });

    describe.each(endpoints)("log-in endpoint $name", (endpoint: LogInEndpoint) => {
      let testUser: TestUser;
      let headers: Record<string, string>;
      let begun: number;
      /** Another network than before. */
      const otherAddress = () => ({
        "x-forwarded-for": `2001:db8:0:${((networks += 1)).toString(16)}::1`,
        "x-forwarded-proto": "https",
      });
      beforeEach(async () => {
        testUser = await createTestUser(endpoint, repositories());
        headers = otherAddress();
        begun = await last();
      });
      afterEach(() => repositories().sessions.end({ userId: testUser.userId }));

      const logIn = (more: Fields = {}, sent: Readonly<Record<string, string>> = {}): Promise<LogInAnswer> =>
        endpoint.logIn(
          server(),
          { user: testUser.user, pass: testUser.pass, appNames: ["demo-app"], ...more },
          { ...headers, ...sent },
        );
      /** Type, code, and whether the user is named. */
      const trail = async () => {
        const eventOf = ({ type, outcome, actorId, subjectId }: AuditEvent) => [
          type,
          outcome,
          actorId === testUser.userId && subjectId === testUser.userId,
        ];
        return (await repositories().audit.read(begun, 1_000))
          .filter(({ type }) => type.startsWith("login."))
          .map(eventOf);
      };
      const loggedIn = expect.objectContaining({ status: 200, retryAfter: null });

      test("admits a right password", async () => {
        const answer = await logIn();
        expect(answer).toEqual(loggedIn);
        expect(answer.body.data.user["~ObjectID"]).toBe(testUser.userId);
        expect(await trail()).toEqual([["login.accepted", 0, true]]);
      });

      test.each<[string, Fields, ErrorCode]>([
        ["no user", { user: undefined }, 301],
        ["no password", { pass: undefined }, 301],
        ["blank credentials", { user: " ", pass: "" }, 301],
        ["a password that is not a text", { pass: ["text"] }, 301],
        ["no app names", { appNames: undefined }, 209],
        ["no app name among them", { appNames: [] }, 208],
        ["an unknown app name", { appNames: ["demo-app", "unknown"] }, 208],
        ["a duplicate app name", { appNames: ["demo-app", "demo-app"] }, 210],
      ])("refuses %s before anything is checked or counted", async (_what, more, code) => {
        for (let n = 0; n <= userFailures; n += 1) expect(await logIn(more)).toEqual(refusal(code));
        expect(await logIn()).toEqual(loggedIn);
        expect(await trail()).toEqual([["login.accepted", 0, true]]);
      });

      test("refuses an app name that the app key lacks, and accepts one that it has", async () => {
        const narrow = { appkey: "narrow key" };
        expect(await logIn({ appNames: ["demo-seats"] }, narrow)).toEqual(refusal(208));
        expect(await logIn({}, narrow)).toEqual(loggedIn);
      });

      test("refuses wrong passwords, unknown and disabled users with the same answer, and names no user", async () => {
        const wrong = await logIn({ pass: "wrong" });
        expect(wrong).toEqual(refusal(302));
        expect(await logIn({ user: `no user like ${testUser.user}` })).toEqual(wrong);
        await testUser.setDisabled(true);
        expect(await logIn()).toEqual(wrong);
        await testUser.setDisabled(false);
        await repositories().accounts.change(testUser.userId, { disabled: true });
        headers = otherAddress();
        expect((await logIn()).body).toEqual(wrong.body);
        expect(await trail()).toEqual(Array.from({ length: 4 }, () => ["login.refused", 302, false]));
        expect(JSON.stringify(await repositories().audit.read(begun, 10))).not.toContain("no user like");
      });

      test("locks out a user after too many failures, with any password and from any network", async () => {
        const guesses = [await logIn({ pass: "1" }), await logIn({ pass: "2" }), await logIn({ pass: "3" })];
        expect(guesses).toEqual([refusal(302), refusal(302), delayed(302)]);
        headers = otherAddress();
        expect([await logIn(), await logIn({ pass: "4" })]).toEqual([delayed(302), delayed(302)]);
        expect(await trail()).toEqual(Array.from({ length: userFailures }, () => ["login.refused", 302, false]));
        await repositories().audit.settle(0, 1_000);
        const tally = (await repositories().audit.read(begun, 1_000)).filter(({ attempts }) => attempts > 1);
        expect(
          tally.map(({ type, outcome, actorId, subjectId, attempts }) => [
            type,
            outcome,
            actorId ?? subjectId,
            attempts,
          ]),
        ).toEqual([["login.refused", 302, null, 2]]);
        const another = await createTestUser(endpoint, repositories());
        expect(await logIn({ user: another.user, pass: another.pass })).toEqual(loggedIn);
        await repositories().sessions.end({ userId: another.userId });
      });

      test("locks out a network after too many failures, for any user", async () => {
        for (let n = 1; n < addressFailures; n += 1)
          expect(await logIn({ user: `guess ${networks} ${n}` })).toEqual(refusal(302));
        expect(await logIn({ user: `guess ${networks}` })).toEqual(delayed(302));
        expect(await logIn()).toEqual(delayed(302));
        headers = otherAddress();
        expect(await logIn()).toEqual(loggedIn);
      });

      test("lets a locked-out network's earlier users in, without revealing who they are", async () => {
        const stranger = await createTestUser(endpoint, repositories());
        expect(await logIn()).toEqual(loggedIn);
        for (let n = 1; n <= addressFailures; n += 1) await logIn({ user: `guess ${networks} ${n}` });
        expect([
          await logIn({ pass: "wrong" }),
          await logIn({ user: stranger.user, pass: "wrong" }),
          await logIn({ user: stranger.user, pass: stranger.pass }),
        ]).toEqual([delayed(302), delayed(302), delayed(302)]);
        expect(await logIn()).toEqual(loggedIn);
        // The user's own count continues, and was cleared by the log-in.
        for (let n = 0; n < userFailures; n += 1) expect(await logIn({ pass: `wrong ${n}` })).toEqual(delayed(302));
        expect(await logIn()).toEqual(delayed(302));
        headers = otherAddress();
        expect(await logIn()).toEqual(delayed(302));
        await repositories().audit.settle(0, 1_000);
      });

      test("requires a forced second factor", async () => {
        expect(await logIn({ appNames: ["door forced"] })).toEqual(refusal(340));
        expect(await logIn({ appNames: ["door forced"], pass: "wrong", "2faToken": "000000" })).toEqual(refusal(302));
        expect(await trail()).toEqual([
          ["login.refused", 340, true],
          ["login.refused", 302, false],
        ]);
      });

      test("requires a missing second factor, and counts a wrong or used one like a wrong password", async () => {
        const appNames = ["door optional"];
        const plain = endpoint.of === "database user" ? "/v1/login" : "/v1/auth/df";
        const opened = await call(server(), plain, {
          method: "POST",
          body: { user: testUser.user, pass: testUser.pass, appNames },
        });
        const path = `/v1/2fa/secret?app=${encodeURIComponent("door optional")}`;
        const { secret } = (await call(server(), path, { method: "POST", sessionId: opened.body.data.sessionId })).body
          .data as Enrolled;
        const [factor] = await new SecondFactors(repositories().records).find(testUser.subject, appNames);
        // Of an old step, so that the current ones are left.
        expect(factor !== undefined && (await new SecondFactors(repositories().records).accept(factor, 0))).toBe(true);
        await repositories().sessions.end({ userId: testUser.userId });
        const authenticator = await Authenticator.of(server(), secret);
        begun = await last();

        for (let n = 0; n <= userFailures; n += 1) expect(await logIn({ appNames })).toEqual(refusal(341));
        expect(await logIn({ appNames, "2faToken": authenticator.wrong() })).toEqual(refusal(342));
        expect(await logIn({ appNames, "2faToken": authenticator.token() })).toEqual(loggedIn);
        expect([
          await logIn({ appNames, "2faToken": authenticator.token() }),
          await logIn({ appNames, pass: "wrong", "2faToken": authenticator.token(1) }),
        ]).toEqual([refusal(342), refusal(302)]);
        expect(await logIn({ appNames, "2faToken": authenticator.wrong() })).toEqual(delayed(342));
        expect(await logIn({ appNames, "2faToken": authenticator.token(1) })).toEqual(delayed(302));
        const refused = (code: ErrorCode) => ["login.refused", code, code !== 302];
        const missing = Array.from({ length: userFailures + 1 }, () => refused(341));
        expect(await trail()).toEqual([
          ...missing,
          refused(342),
          ["login.accepted", 0, true],
          refused(342),
          refused(302),
          refused(342),
        ]);
      });

      test("refuses a ban and a forbidden app name, in this order and only after a right password", async () => {
        const { user } = testUser;
        const admin = administrationOf(database());
        const open = await logIn({ device: { deviceId: `tablet of ${user}` } });
        expect(open).toEqual(loggedIn);
        begun = await last();
        const rule = { app: "door forced", user, reason: "" } as const;
        await setAppRule(admin, { ...rule, access: "forbid" });
        const forced = { appNames: ["door forced"] };
        for (let n = 0; n <= userFailures; n += 1) expect(await logIn(forced)).toEqual(refusal(403));
        const device = { deviceId: `phone of ${user}` };
        await addBan(admin, { user, device: device.deviceId, reason: "", from: null, until: null });
        for (let n = 0; n <= userFailures; n += 1) expect(await logIn({ ...forced, device })).toEqual(refusal(318));
        expect(await logIn({ ...forced, device, pass: "wrong" })).toEqual(refusal(302));
        expect(await logIn({ device, "2faToken": "000000" })).toEqual(refusal(318));
        await setAppRule(admin, { ...rule, access: null });
        expect(await logIn(forced)).toEqual(refusal(340));
        await removeBan(admin, { user, device: device.deviceId });
        expect(await logIn({ device })).toEqual(loggedIn);
        const refused = (code: ErrorCode) =>
          Array.from({ length: userFailures + 1 }, () => ["login.refused", code, true]);
        expect(await trail()).toEqual([
          ...refused(403),
          ...refused(318),
          ["login.refused", 302, false],
          ["login.refused", 318, true],
          ["login.refused", 340, true],
          ["login.accepted", 0, true],
        ]);
      });

      test("opens no more sessions of a user than allowed, and counts no failure", async () => {
        for (let n = 0; n < perUser; n += 1) expect(await logIn()).toEqual(loggedIn);
        for (let n = 0; n <= userFailures; n += 1) expect(await logIn()).toEqual(refusal(315));
        // The refused log-in left no changes.
        const bound = { owner: linkOwner(testUser.userId), after: null, limit: 100 };
        expect(await repositories().records.list(identityLinkKind, bound)).toHaveLength(
          endpoint.name.includes("extLogin") ? perUser : 0,
        );
        expect((await trail()).slice(perUser)).toEqual(
          Array.from({ length: userFailures + 1 }, () => ["login.refused", 315, true]),
        );
        await repositories().sessions.end({ userId: testUser.userId });
        expect(await logIn()).toEqual(loggedIn);
      });

      test("opens no more sessions than the database may have", async () => {
        const empty = await fillSessions(repositories());
        const answers = [await logIn(), await logIn({ pass: "wrong" })];
        await empty();
        expect(answers).toEqual([refusal(315), refusal(302)]);
        expect(await trail()).toEqual([
          ["login.refused", 315, true],
          ["login.refused", 302, false],
        ]);
        expect(await logIn()).toEqual(loggedIn);
      });

      test("a log-in of a device replaces the session of the device, opened at any endpoint", async () => {
        const device = { deviceId: `phone of ${testUser.user}` };
        const pass = endpoint.of === "database user" ? testUser.pass : "another password";
        const before = await tryLogIn(server(), testUser.user, { pass, device }, headers);
        const { sessionId } = before.body.data;
        expect(await checkSession(server(), sessionId)).toBe("0");
        expect(await logIn({ device })).toEqual(loggedIn);
        expect(await checkSession(server(), sessionId)).toBe("201");
        for (let n = 0; n < perUser; n += 1) expect(await logIn({ device })).toEqual(loggedIn);
        expect([await logIn(), await logIn()]).toEqual([loggedIn, refusal(315)]);
        expect(await logIn({ device })).toEqual(loggedIn);
      });
    });
  },
  { environment: logInEnvironment },
);
