import { createHash } from "node:crypto";
import { callIn, checkSessionIn as checkSession, logOutIn as logOut, tryLogIn } from "../client.ts";
import { credentialOf } from "../credential-of.ts";
import { sessionEndedCode, testedModes } from "../modes.ts";
import { openSession, type OpeningOptions } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines, withoutLockout } from "../engines.ts";

const tally = (codes: readonly string[]) =>
  Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length]));

/** How sessions begin and end, in every mode and on every engine. */
onEngines(
  "sessions",
  (server) => {
    const repositories = () => repositoriesOf(server());

    describe.each(testedModes)("in mode %s", (mode) => {
      const over = sessionEndedCode[mode];
      const logIn = (user: string, more?: OpeningOptions) => openSession(server(), mode, user, more);

      test("end with the log-out, and a second log-out finds none", async () => {
        const session = await logIn("demo");
        expect(await checkSession(server(), session)).toBe("0");
        expect(await logOut(server(), session)).toBe("0");
        expect(await checkSession(server(), session)).toBe(over);
        expect(await logOut(server(), session)).toBe(over);
      });

      test("end by one of two concurrent log-outs", async () => {
        for (let round = 0; round < 10; round += 1) {
          const session = await logIn("demo");
          const codes = await Promise.all([
            logOut(server(), session),
            logOut(server(), session),
            logOut(server(), session),
          ]);
          expect(tally(codes)).toEqual({ "0": 1, [over]: 2 });
        }
      });

      test("have a new credential at every log-in", async () => {
        const sessions = [await logIn("demo"), await logIn("demo")];
        const credentials = await Promise.all(sessions.map(credentialOf));
        expect(new Set(credentials).size).toBe(2);
      });

      test("are independent without a device, and limited to five on one, where the sixth log-in ends the first", async () => {
        const device = { deviceId: `tablet-${mode}` };
        const alone = await logIn("demo");
        const other = await logIn("reader", { device });
        const ofDevice = [];
        for (let n = 0; n < 6; n += 1) ofDevice.push(await logIn("demo", { device }));
        const codes = await Promise.all([alone, other, ...ofDevice].map((id) => checkSession(server(), id)));
        expect(codes).toEqual(["0", "0", over, "0", "0", "0", "0", "0"]);
      });

      test("are valid only with the app key that opened them", async () => {
        const session = await logIn("demo");
        const key = { name: `another-${mode}`, appNames: null, origins: [] };
        await repositories().appKeys.create(key, createHash("sha256").update(`another-key-${mode}`).digest("hex"));
        const answer = await callIn(server(), session, "/_CheckSession", {
          headers: { appkey: `another-key-${mode}` },
        });
        expect(answer).toMatchObject({ status: 401, code: over });
        expect(await checkSession(server(), session)).toBe("0");
      });

      test("end at once when the user is disabled, who is then refused like an unknown user", async () => {
        const session = await logIn("reader");
        const { accounts } = repositories();
        const { account } = await accounts.find({ realm: "database", loginName: "reader" }, []);
        await accounts.change(account?.userId as string, { disabled: true });
        expect(await checkSession(server(), session)).toBe(over);
        const refused = await tryLogIn(server(), "reader");
        const stranger = await tryLogIn(server(), "unknown");
        expect(refused.body).toEqual(stranger.body);
        expect(refused.status).toBe(403);
        await accounts.change(account?.userId as string, { disabled: false });
        expect(await checkSession(server(), session)).toBe("0");
      });

      test("end when the secret that opened them changes", async () => {
        const session = await logIn("reader");
        const { accounts } = repositories();
        const { account } = await accounts.find({ realm: "database", loginName: "reader" }, []);
        if (account === null) throw new Error("The demo has no reader.");
        expect(await accounts.setSecret(account.userId, account.secret, account.secretVersion)).toBe("stored");
        expect(await checkSession(server(), session)).toBe(over);
        expect(await checkSession(server(), await logIn("reader"))).toBe("0");
      });

      test("are audited: log-in, refusal and log-out", async () => {
        const { audit } = repositories();
        const last = Math.max(0, ...(await audit.read(0, 10_000)).map(({ sequence }) => sequence));
        const session = await logIn("demo");
        await tryLogIn(server(), "demo", { pass: "my-secret-typo" }, { "x-request-id": "trail-2" });
        await logOut(server(), session);
        const events = await audit.read(last, 10);
        expect(events.map(({ type, outcome }) => [type, outcome])).toEqual([
          ["login.accepted", 0],
          ["login.refused", 302],
          ["logout.completed", 0],
        ]);
        expect(events[1]).toMatchObject({ requestId: "trail-2", address: "127.0.0.1", appNames: ["demo-app"] });
        expect(JSON.stringify(events)).not.toContain("secret-typo");
        expect(JSON.stringify(events)).not.toContain(await credentialOf(session));
      });
    });
  },
  { environment: withoutLockout },
);
