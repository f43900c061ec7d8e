import { type AuditEvent, type ErrorCode, identityLinkKind, type Repositories } from "@sallyport/storage";
import { addBan, administrationOf, Applications, removeBan } from "@sallyport/core";
import { SecondFactors, setAppRule } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { call, checkSession, tryLogIn } from "../client.ts";
import { link, logInAt } from "../providers/browser.ts";
import { register, providerEnvironment } from "../providers/provider-fixture.ts";
import { databaseOf } from "../repositories-of.ts";
import { Authenticator, type Enrolled } from "../second-factor-client.ts";
import { endpoints, type LogInAnswer } from "./log-in-endpoint.ts";
import { addressFailures, delayed, fillSessions, limitEnvironment, perUser, refusal, userFailures } from "./limits.ts";
import { type TestUser, createTestUser } from "./test-user.ts";
import { onProviderServers } from "../providers/on-provider-servers.ts";

const callbackEnvironment: Readonly<Record<string, string>> = { ...providerEnvironment, ...limitEnvironment };

const [endpoint] = endpoints;

/** A provider user is refused like a user with a password, with the same audit. */
onProviderServers(
  "callback of providers",
  (server, fixture) => {
    const digests = new NodeDigests();
    const repositories = (): Repositories => databaseOf(server()).storage.repositories;
    const last = async () =>
      Math.max(0, ...(await repositories().audit.read(0, 100_000)).map(({ sequence }) => sequence));
    let testUser: TestUser;
    let begun: number;

    beforeAll(async () => {
      await register(fixture(), server(), "google");
      for (const secondFactor of ["optional", "forced"] as const)
        await new Applications(repositories().records).create({
          name: `door ${secondFactor}`,
          seats: null,
          secondFactor,
        });
    });
    beforeEach(async () => {
      const r = repositories();
      if (endpoint === undefined) throw new Error("There is no endpoint.");
      for (const { id, value } of await r.records.list(identityLinkKind, { after: null, limit: 100 })) {
        await r.records.remove(identityLinkKind, { ids: [id] });
        const { issuer, subject } = value;
        const key = digests.sha256(["provider", issuer, subject].join("\0"));
        await r.throttle.pass([], [`user:${key}`, `factor:${key}`, "address:127.0.0.1"]);
      }
      testUser = await createTestUser(endpoint, r);
      const { dfUuid } = (await logInAt(server(), "google", "anna")).body.data;
      expect(await link(server(), dfUuid, { user: testUser.user, pass: testUser.pass })).toMatchObject({ code: "0" });
      await r.sessions.end({ userId: testUser.userId });
      begun = await last();
    });
    afterEach(() => repositories().sessions.end({ userId: testUser.userId }));

    const logIn = async (query: Readonly<Record<string, string>> = {}): Promise<LogInAnswer> => {
      const { status, body, headers } = await logInAt(server(), "google", "anna", { query });
      return { status, body, retryAfter: headers["retry-after"] ?? null };
    };
    /** Type, code, whether the user is named, and the provider. */
    const trail = async () => {
      const eventOf = ({ type, outcome, actorId, subjectId, providerName }: AuditEvent) => [
        type,
        outcome,
        actorId === testUser.userId && subjectId === testUser.userId,
        providerName,
      ];
      return (await repositories().audit.read(begun, 1_000))
        .filter(({ type }) => type.startsWith("login."))
        .map(eventOf);
    };
    const refused = (code: ErrorCode) => ["login.refused", code, code !== 302, "google"];
    const accepted = ["login.accepted", 0, true, "google"];
    const loggedIn = expect.objectContaining({
      status: 200,
      retryAfter: null,
      body: expect.objectContaining({ data: expect.objectContaining({ sessionId: expect.any(String) }) }),
    });

    test("admits a user whom the provider vouches for", async () => {
      const answer = await logIn();
      expect(answer).toEqual(loggedIn);
      expect(answer.body.data.user["~ObjectID"]).toBe(testUser.userId);
      expect(await trail()).toEqual([accepted]);
    });

    test("refuses a disabled user, with a lockout after too many attempts", async () => {
      await testUser.setDisabled(true);
      expect([await logIn(), await logIn(), await logIn()]).toEqual([refusal(302), refusal(302), delayed(302)]);
      await testUser.setDisabled(false);
      expect(await logIn()).toEqual(delayed(302));
      expect(await trail()).toEqual(Array.from({ length: userFailures }, () => refused(302)));
      await repositories().audit.settle(0, 1_000);
      expect((await trail()).slice(userFailures)).toEqual([refused(302)]);
    });

    test("locks out a network with too many failures, except for users who logged in there before", async () => {
      if (endpoint === undefined) throw new Error("There is no endpoint.");
      const another = await createTestUser(endpoint, repositories());
      expect(
        await link(server(), (await logInAt(server(), "google", "ben")).body.data.dfUuid, {
          user: another.user,
          pass: another.pass,
        }),
      ).toMatchObject({ code: "0" });
      expect(await logIn()).toEqual(loggedIn);
      const { ip } = databaseOf(server()).policy.throttle;
      for (let n = 0; n < addressFailures; n += 1)
        await repositories().throttle.fail([{ key: "address:127.0.0.1", policy: ip }]);
      expect([await logIn(), (await logInAt(server(), "google", "ben")).code]).toEqual([loggedIn, "302"]);
      await repositories().throttle.pass([], ["address:127.0.0.1"]);
      expect((await logInAt(server(), "google", "ben")).code).toBe("0");
      await repositories().sessions.end({ userId: another.userId });
    });

    test("requires second factors, and counts wrong ones", async () => {
      expect(await logIn({ appNames: "door forced" })).toEqual(refusal(340));
      const asking = { appNames: "door optional" };
      const { sessionId } = (await logIn(asking)).body.data;
      const path = `/v1/2fa/secret?app=${encodeURIComponent("door optional")}`;
      const { secret } = (await call(server(), path, { method: "POST", sessionId })).body.data as Enrolled;
      const [factor] = await new SecondFactors(repositories().records).find(testUser.subject, ["door optional"]);
      // Of an old step, so that the current ones are left.
      expect(factor !== undefined && (await new SecondFactors(repositories().records).accept(factor, 0))).toBe(true);
      const authenticator = await Authenticator.of(server(), secret);
      const shown = (token: string) => logIn({ ...asking, "2faToken": token });
      begun = await last();

      for (let n = 0; n <= userFailures; n += 1) expect(await logIn(asking)).toEqual(refusal(341));
      expect([await shown(authenticator.wrong()), await shown(authenticator.token())]).toEqual([
        refusal(342),
        loggedIn,
      ]);
      expect([await shown(authenticator.token()), await shown(authenticator.token())]).toEqual([
        refusal(342),
        refusal(342),
      ]);
      expect([await shown(authenticator.wrong()), await shown(authenticator.token(1))]).toEqual([
        delayed(342),
        delayed(302),
      ]);
      expect(await trail()).toEqual([
        ...Array.from({ length: userFailures + 1 }, () => refused(341)),
        refused(342),
        accepted,
        refused(342),
        refused(342),
        refused(342),
      ]);
    });

    test("refuses a ban and a forbidden app name, and counts no failure", async () => {
      const { user } = testUser;
      const admin = administrationOf(databaseOf(server()));
      await setAppRule(admin, { app: "door forced", user, access: "forbid", reason: "" });
      const deviceId = `phone of ${user}`;
      await addBan(admin, { user, device: deviceId, reason: "", from: null, until: null });
      for (let n = 0; n <= userFailures; n += 1) {
        expect(await logIn({ appNames: "door forced" })).toEqual(refusal(403));
        expect(await logIn({ appNames: "door forced", deviceId })).toEqual(refusal(318));
      }
      expect(await logIn()).toEqual(loggedIn);
      await removeBan(admin, { user, device: deviceId });
      expect(await logIn({ deviceId })).toEqual(loggedIn);
      const refusals = Array.from({ length: userFailures + 1 }, () => [refused(403), refused(318)]).flat();
      expect(await trail()).toEqual([...refusals, accepted, accepted]);
    });

    test("opens no more sessions than a user and the database may have, and counts no failure", async () => {
      for (let n = 0; n < perUser; n += 1) expect(await logIn()).toEqual(loggedIn);
      for (let n = 0; n <= userFailures; n += 1) expect(await logIn()).toEqual(refusal(315));
      await repositories().sessions.end({ userId: testUser.userId });
      const empty = await fillSessions(repositories());
      const answer = await logIn();
      await empty();
      expect(answer).toEqual(refusal(315));
      expect(await logIn()).toEqual(loggedIn);
      expect((await trail()).slice(perUser)).toEqual([
        ...Array.from({ length: userFailures + 2 }, () => refused(315)),
        accepted,
      ]);
    });

    test("a log-in of a device replaces the session of the device, opened at any endpoint", async () => {
      const deviceId = `phone of ${testUser.user}`;
      const { sessionId } = (await tryLogIn(server(), testUser.user, { pass: testUser.pass, device: { deviceId } }))
        .body.data;
      const second = await logIn({ deviceId });
      expect([await checkSession(server(), sessionId), second]).toEqual(["201", loggedIn]);
      expect(await logIn({ deviceId })).toEqual(loggedIn);
      expect(await checkSession(server(), second.body.data.sessionId)).toBe("201");
      expect([await logIn(), await logIn()]).toEqual([loggedIn, refusal(315)]);
    });
  },
  { environment: callbackEnvironment },
);
