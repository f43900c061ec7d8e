import type { ClientSession } from "@sallyport/client";
import type { ObjectId } from "@sallyport/storage";
import type { RsaPadding } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import { call, callIn, checkSessionIn as checkSession, tryLogIn } from "../client.ts";
import { sessionEndedCode, testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { resetMail } from "./reset-mail.ts";
import { serverRsaKey, stranger, storedServerKeys } from "../secure/stored-keys.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { newUser, type TestUser } from "../new-user.ts";
import { onEngines, withoutLockout } from "../engines.ts";

const digests = new NodeDigests();
const first = "the first password";
const second = "another password";

/** How often each code was answered. */
const tally = (codes: readonly string[]) =>
  Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length]));

const encrypted = (text: string, padding: RsaPadding = "OAEP-SHA-256", key = serverRsaKey) =>
  encryptBlocks(key, padding, Buffer.from(text)).toString("base64");

/** How passwords are changed and reset, in every mode and on every engine. The server must have the stored RSA key. */
onEngines(
  "passwords",
  (server) => {
    const repositories = () => repositoriesOf(server());
    const change = (session: ClientSession, oldPassword: unknown, newPassword: unknown, more: object = {}) =>
      callIn(server(), session, "/v1/changePassword", { method: "POST", body: { oldPassword, newPassword, ...more } });
    const changed = (...args: Parameters<typeof change>) => change(...args).then(({ code }) => code);
    const confirm = (resetPasswordToken: unknown, newPassword: unknown, path = "/v1/confirmResetPassword") =>
      call(server(), path, { method: "POST", body: { resetPasswordToken, newPassword } }).then(({ code }) => code);
    const opens = (user: string, pass: string) => tryLogIn(server(), user, { pass }).then(({ code }) => code);

    /**
     * A token as the mail would contain it; it does not come from the outbox, which would require a minute between
     * requests.
     */
    const token = async ({ name, userId }: TestUser): Promise<string> => {
      await repositories().throttle.pass([], [`resetMail:user:${userId}`]);
      const prepared = await resetMail.prepare(repositories(), { user: name });
      if (prepared === null) throw new Error("There is no recipient.");
      return prepared.token;
    };

    const audited = async (userId: ObjectId) =>
      (await repositories().audit.read(0, 100_000)).filter(
        (event) => event.actorId === userId && event.subjectId === userId && event.type.startsWith("password."),
      );

    describe.each(testedModes)("in mode %s", (mode) => {
      const over = sessionEndedCode[mode];
      const logIn = ({ name }: TestUser, password = first) => openSession(server(), mode, name, { password });

      test("a change ends all sessions of the user but its own, and invalidates old passwords and tokens", async () => {
        const [testUser, other] = [await newUser(server()), await newUser(server())];
        const [own, elsewhere, others] = [await logIn(testUser), await logIn(testUser), await logIn(other)];
        const pending = await token(testUser);
        const answer = await change(own, first, second);
        expect(answer).toMatchObject({ status: 200, code: "0", body: { data: {} } });
        expect(await Promise.all([own, elsewhere, others].map((session) => checkSession(server(), session)))).toEqual([
          "0",
          over,
          "0",
        ]);
        expect([await opens(testUser.name, first), await opens(testUser.name, second)]).toEqual(["302", "0"]);
        expect(await confirm(pending, "a password by mail")).toBe("328");
        expect(await audited(testUser.userId)).toMatchObject([{ type: "password.changed", outcome: 0 }]);
        // The session continues with the new password, with all its functions.
        expect(await changed(own, second, "the third password")).toBe("0");
        expect(await checkSession(server(), own)).toBe("0");
      });

      test("accepts passwords as clients hash them, and in plain text", async () => {
        const session = await logIn(await newUser(server()));
        expect(await changed(session, digests.md5(first).toUpperCase(), digests.md5(second))).toBe("0");
        expect(await changed(session, second, first)).toBe("320");
        expect(await changed(session, second, "the third password")).toBe("0");
      });

      test("a wrong old password changes nothing, is audited, and counts as a failed log-in", async () => {
        const testUser = await newUser(server());
        const session = await logIn(testUser);
        for (let failures = 1; failures < 10; failures += 1) {
          const answer = await change(session, `wrong ${failures}`, second);
          expect([answer.code, answer.headers["retry-after"]]).toEqual(["339", undefined]);
        }
        const last = await change(session, "wrong", second);
        expect([last.code, last.headers["retry-after"]]).toEqual(["339", "1"]);
        expect(await checkSession(server(), session)).toBe("0");
        const events = await audited(testUser.userId);
        expect(tally(events.map(({ type, outcome }) => `${type} ${outcome}`))).toEqual({ "password.refused 339": 10 });
      });

      test("a locked-out user changes nothing, with any password", async () => {
        const testUser = await newUser(server());
        const session = await logIn(testUser);
        const policy = { maxFailures: 10, initialDelay: 900_000, maxDelay: 900_000, resetAfter: 900_000 };
        for (let failures = 0; failures < 20; failures += 1)
          await repositories().throttle.fail([{ key: `user:${digests.sha256(testUser.name)}`, policy }]);
        const answer = await change(session, first, second);
        expect([answer.code, Number(answer.headers["retry-after"]) > 0]).toEqual(["339", true]);
      });

      test("refuses a recently used password, and reports this only with the current password", async () => {
        const testUser = await newUser(server());
        const session = await logIn(testUser);
        const used = [first];
        for (let index = 1; index <= 6; index += 1) {
          const next = `password number ${index}`;
          expect(await changed(session, used.at(-1), next)).toBe("0");
          used.push(next);
        }
        const current = used.at(-1);
        for (const former of used.slice(1, -1)) expect(await changed(session, current, former)).toBe("320");
        expect(await changed(session, "not the current one", used[3])).toBe("339");
        expect(await audited(testUser.userId)).toHaveLength(6 + 5 + 1);
        // Six changes ago: one more than is kept.
        expect(await changed(session, current, first)).toBe("0");
      });

      test("one of 50 concurrent changes succeeds", async () => {
        const testUser = await newUser(server());
        const session = await logIn(testUser);
        const codes = await Promise.all(
          Array.from({ length: 50 }, (_, index) => changed(session, first, `password of change ${index}`)),
        );
        expect(tally(codes)).toEqual({ "0": 1, "339": 49 });
        expect(await checkSession(server(), session)).toBe("0");
        const winner = codes.indexOf("0");
        const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
        const { account } = await repositories().accounts.find({ id: testUser.userId }, []);
        expect(await hasher.verify(account?.secret ?? "", digests.md5(`password of change ${winner}`), null)).toBe(
          true,
        );
      });

      test("one of several concurrent changes in different sessions succeeds, and ends the other sessions", async () => {
        const testUser = await newUser(server());
        const sessions = await Promise.all(Array.from({ length: 6 }, () => logIn(testUser)));
        const codes = await Promise.all(
          sessions.map((session, index) => changed(session, first, `password of session ${index}`)),
        );
        expect(codes.filter((code) => code === "0")).toHaveLength(1);
        expect(codes.filter((code) => !["0", "339", over].includes(code))).toEqual([]);
        const left = await Promise.all(sessions.map((session) => checkSession(server(), session)));
        expect(left.map((code) => (code === "0" ? "0" : "over"))).toEqual(
          codes.map((code) => (code === "0" ? "0" : "over")),
        );
      });

      test.each<RsaPadding>(["OAEP-SHA-256", "OAEP-SHA-1", "PKCS1-v1_5"])(
        "accepts encrypted passwords in %s",
        async (padding) => {
          const testUser = await newUser(server());
          const session = await logIn(testUser);
          const long = `${"päßword ".repeat(100)}!`;
          expect(await changed(session, encrypted(first, padding), encrypted(long, padding), { encrypted: true })).toBe(
            "0",
          );
          expect([await opens(testUser.name, long), await opens(testUser.name, first)]).toEqual(["0", "302"]);
        },
      );

      test("refuses undecryptable passwords, and decrypted ones that are invalid", async () => {
        const session = await logIn(await newUser(server()));
        const good = encrypted(first);
        for (const bad of [
          "AAAA",
          good.slice(0, -4),
          `${good}AAAA`,
          good.replaceAll("=", ""),
          `${good} `,
          encrypted(first, "OAEP-SHA-256", stranger.publicKey),
          encrypted(""),
          encrypted("  "),
          encrypted("x".repeat(1_025)),
        ]) {
          expect([bad, await changed(session, bad, encrypted(second), { encrypted: true })]).toEqual([bad, "319"]);
          expect([bad, await changed(session, encrypted(first), bad, { encrypted: true })]).toEqual([bad, "320"]);
        }
        const notText = encryptBlocks(serverRsaKey, "OAEP-SHA-256", Buffer.from("ffc0af", "hex")).toString("base64");
        expect(await changed(session, notText, encrypted(second), { encrypted: true })).toBe("319");
        expect(await changed(session, notText, notText, { encrypted: true })).toBe("319");
        expect(await changed(session, encrypted(first), encrypted("seven 7"), { encrypted: true })).toBe("320");
        expect(await changed(session, encrypted("it is wrong"), encrypted(second), { encrypted: true })).toBe("339");
      });

      test("accepts captured encrypted passwords in their first session only, three times", async () => {
        const testUser = await newUser(server());
        const [session, captor] = [await logIn(testUser), await logIn(testUser)];
        const [old, fresh] = [encrypted("it is wrong"), encrypted(second)];
        const codes = [];
        for (let times = 0; times < 4; times += 1) codes.push(await changed(session, old, fresh, { encrypted: true }));
        expect(codes).toEqual(["339", "339", "339", "319"]);
        expect(await changed(captor, old, encrypted(second), { encrypted: true })).toBe("319");
        expect(await changed(captor, encrypted("it is wrong"), fresh, { encrypted: true })).toBe("320");
      });

      test("a reset ends all sessions and all other resets", async () => {
        const testUser = await newUser(server());
        const sessions = [await logIn(testUser), await logIn(testUser)];
        const [one, other] = [await token(testUser), await token(testUser)];
        expect(await confirm(one, second)).toBe("0");
        expect(await Promise.all(sessions.map((session) => checkSession(server(), session)))).toEqual([over, over]);
        expect([await opens(testUser.name, first), await opens(testUser.name, second)]).toEqual(["302", "0"]);
        expect([await confirm(one, "a third password"), await confirm(other, "a third password")]).toEqual([
          "328",
          "328",
        ]);
        expect(await audited(testUser.userId)).toMatchObject([{ type: "password.reset.completed", outcome: 0 }]);
      });
    });

    test("a refused password does not spend the token", async () => {
      const testUser = await newUser(server());
      const good = await token(testUser);
      for (const refused of ["short", "Password123", first, digests.md5(first), undefined])
        expect(await confirm(good, refused)).toBe("320");
      expect(await confirm(good, second)).toBe("0");
      expect(await confirm(await token(testUser), first)).toBe("320");
    });

    test("one of 50 concurrent uses of a token sets the password", async () => {
      const testUser = await newUser(server());
      const good = await token(testUser);
      const codes = await Promise.all(
        Array.from({ length: 50 }, (_, index) => confirm(good, `password of reset ${index}`)),
      );
      expect(tally(codes)).toEqual({ "0": 1, "328": 49 });
      expect(await opens(testUser.name, `password of reset ${codes.indexOf("0")}`)).toBe("0");
    });

    test("a token is valid in its own database only, and unchanged", async () => {
      const testUser = await newUser(server());
      const good = await token(testUser);
      expect(await confirm(good, second, "/second/v1/confirmResetPassword")).toBe("328");
      for (const bad of [
        [good],
        { token: good },
        ` ${good}`,
        `${good} `,
        good.toUpperCase(),
        good.slice(1),
        digests.sha256(good),
      ])
        expect(await confirm(bad, second)).toBe("328");
      expect(await confirm(good, second)).toBe("0");
    });

    test("a token is invalid while its user is disabled, and afterwards", async () => {
      const testUser = await newUser(server());
      const good = await token(testUser);
      await repositories().accounts.change(testUser.userId, { disabled: true });
      expect(await confirm(good, second)).toBe("328");
      expect(await resetMail.prepare(repositories(), { user: testUser.name })).toBeNull();
      await repositories().accounts.change(testUser.userId, { disabled: false });
      expect(await confirm(good, second)).toBe("0");
    });

    test("prepares no mail for an unknown user, a user without an address, or within a minute", async () => {
      const testUser = await newUser(server());
      expect(await resetMail.prepare(repositories(), { user: "an unknown name" })).toBeNull();
      expect(await resetMail.prepare(repositories(), { user: "demo\r\nBcc: all@mail.example" })).toBeNull();
      expect(await resetMail.prepare(repositories(), { user: testUser.name })).toMatchObject({
        name: testUser.name,
        minutes: 30,
        token: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(await resetMail.prepare(repositories(), { user: testUser.name })).toBeNull();
      await repositories().accounts.change(testUser.userId, { email: null });
      await repositories().throttle.pass([], [`resetMail:user:${testUser.userId}`]);
      expect(await resetMail.prepare(repositories(), { user: testUser.name })).toBeNull();
    });

    test("parallel preparations for one user produce one mail", async () => {
      const { name } = await newUser(server());
      const storage = server().databases.get("")?.storage;
      const prepared = await Promise.all(
        Array.from({ length: 6 }, () => storage?.transaction((r) => resetMail.prepare(r, { user: name }))),
      );
      expect(prepared.filter((each) => each !== null)).toHaveLength(1);
    });

    test("refused tokens are a tally in the audit, without a user", async () => {
      await repositories().audit.settle(0, 10_000);
      const since = (await repositories().audit.read(0, 100_000)).at(-1)?.sequence ?? 0;
      for (let times = 0; times < 3; times += 1) await confirm("A".repeat(43), second);
      await repositories().audit.settle(0, 10_000);
      const events = (await repositories().audit.read(0, 100_000)).filter(
        ({ sequence, type }) => sequence > since && type === "password.reset.refused",
      );
      expect(events).toMatchObject([{ outcome: 328, attempts: 3, actorId: null, subjectId: null }]);
    });
  },
  { environment: { ...storedServerKeys, ...withoutLockout } },
);
