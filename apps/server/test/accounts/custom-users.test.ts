import type { Account } from "@sallyport/storage";
import { createAccount } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import { type Answer, call, checkSession, logOut, type Sent } from "../client.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { customUserEnvironment } from "../new-custom-user.ts";

let created = 0;

/** Log-ins of custom users, and their sessions, on every engine. */
onEngines(
  "custom users",
  (server) => {
    const repositories = () => repositoriesOf(server());
    const logIn = (user: string, more: object = {}, headers: Sent["headers"] = {}): Promise<Answer> =>
      call(server(), "/v1/auth/df", {
        method: "POST",
        headers,
        body: { user, pass: `${user} password`, appNames: "demo-app", ...more },
      });
    const sessionOf = async (user: string, more: object = {}): Promise<string> => {
      const { code, body } = await logIn(user, more);
      if (code !== "0") throw new Error(`The log-in of ${user} answers ${code}.`);
      return body.data.sessionId;
    };
    const userNamed = async (name: string) => {
      const { account } = await repositories().accounts.find({ realm: "database", loginName: name }, []);
      if (account === null) throw new Error(`The demo has no user ${name}.`);
      return account;
    };
    /** A custom user with a password derived from the name. */
    const create = async (user = "reader", name = `custom ${(created += 1)}`): Promise<Account> => {
      const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
      const creating = {
        database: { digests: new NodeDigests() },
        services: { hasher, random: new NodeRandomSource() },
      };
      const { userId } = await userNamed(user);
      const id = await createAccount(creating, repositories().accounts, {
        realm: "custom",
        loginName: name,
        password: `${name} password`,
        userId,
        email: null,
        clientHash: "md5",
      });
      return (await repositories().accounts.find({ id }, [])).account as Account;
    };

    test("the demo's custom user logs in, and has the rights of the mapped user", async () => {
      const { status, code, body } = await call(server(), "/v1/auth/df", {
        method: "POST",
        body: { user: "partner", pass: "partner", appNames: ["demo-app"] },
      });
      expect([status, code, Object.keys(body.data).toSorted()]).toEqual([
        200,
        "0",
        ["databaseName", "sessionId", "user"],
      ]);
      const { sessionId, user, databaseName } = body.data;
      const { userId } = await userNamed("reader");
      expect([databaseName, user["~ObjectID"], user["~ClassName"], user.Name]).toEqual([
        "demo",
        userId,
        "User",
        "reader",
      ]);
      expect(JSON.stringify(body)).not.toMatch(/argon2|partner@/);
      const list = await call(server(), "/v1/objects/Customer?perPage=1", { sessionId });
      const [customer] = list.body.data["~Elements"];
      expect(list.body.data["~Count"]).toBeGreaterThan(0);
      expect(
        await call(server(), `/v1/object/${customer["~ObjectID"]}`, {
          method: "PATCH",
          sessionId,
          body: { Name: "mine" },
        }),
      ).toMatchObject({ status: 403, code: "404" });
      expect(await call(server(), "/v1/macro/none", { sessionId })).toMatchObject({ code: "304" });
      expect(await checkSession(server(), sessionId)).toBe("0");
      expect(await logOut(server(), sessionId)).toBe("0");
      expect(await checkSession(server(), sessionId)).toBe("201");
    });

    test("custom users and database users of the same name are independent", async () => {
      const { loginName } = await create("reader", "demo");
      const custom = await logIn(loginName);
      expect(custom.body.data.user.Name).toBe("reader");
      expect(await logIn("demo", { pass: "demo" })).toMatchObject({ status: 403, code: "302" });
      const own = await call(server(), "/v1/login", {
        method: "POST",
        body: { user: "demo", pass: "demo", appNames: "demo-app" },
      });
      expect(own.body.data.user.Name).toBe("demo");
      expect(
        await call(server(), "/v1/login", {
          method: "POST",
          body: { user: "demo", pass: "demo password", appNames: "demo-app" },
        }),
      ).toMatchObject({ code: "302" });
      expect(await logIn("admin", { pass: "admin" })).toMatchObject({ code: "302" });
      expect(
        await call(server(), "/v1/login", {
          method: "POST",
          body: { user: "partner", pass: "partner", appNames: "demo-app" },
        }),
      ).toMatchObject({ code: "302" });
    });

    test("refuses unknown, disabled and mistyped credentials with the same answer, and the audit names no user", async () => {
      const account = await create();
      const { accounts, audit } = repositories();
      const last = Math.max(0, ...(await audit.read(0, 10_000)).map(({ sequence }) => sequence));
      const wrong = await logIn(account.loginName, { pass: "my-secret-typo" });
      const unknown = await logIn("an unknown user");
      await accounts.change(account.id, { disabled: true });
      const disabled = await logIn(account.loginName);
      await accounts.change(account.id, { disabled: false });
      expect(wrong).toMatchObject({ status: 403, code: "302" });
      expect([unknown.body, disabled.body]).toEqual([wrong.body, wrong.body]);
      for (const name of [
        "custom",
        `${account.loginName} `,
        account.loginName.toUpperCase(),
        "__proto__",
        "a\u0000b",
        "' or 1=1 --",
      ]) {
        expect(await logIn(name, { pass: `${account.loginName} password` })).toMatchObject({
          status: 403,
          code: "302",
        });
      }
      const sessionId = await sessionOf(account.loginName, {
        pass: new NodeDigests().md5(`${account.loginName} password`),
      });
      await logOut(server(), sessionId);
      const events = await audit.read(last, 100);
      expect(events.filter(({ type }) => type === "login.refused")).toHaveLength(9);
      expect(
        events.filter(({ type, actorId, subjectId }) => type === "login.refused" && (actorId ?? subjectId) !== null),
      ).toEqual([]);
      expect(
        events
          .filter(({ type }) => type !== "login.refused")
          .map(({ type, actorId, subjectId }) => [type, actorId, subjectId]),
      ).toEqual([
        ["login.accepted", account.userId, account.userId],
        ["logout.completed", account.userId, account.userId],
      ]);
      expect(JSON.stringify(events)).not.toMatch(/secret-typo|an unknown user|custom \d/);
    });

    test("validates fields like every log-in", async () => {
      const { loginName } = await create();
      const refused: readonly (readonly [object, string])[] = [
        [{ user: undefined }, "301"],
        [{ pass: "" }, "301"],
        [{ pass: { $ne: "" } }, "301"],
        [{ user: ["a"] }, "301"],
        [{ appNames: undefined }, "209"],
        [{ appNames: [] }, "208"],
        [{ appNames: ["unknown"] }, "208"],
        [{ appNames: ["demo-app", "demo-app"] }, "210"],
        [{ device: { deviceId: 5 } }, "307"],
      ];
      for (const [more, code] of refused) expect([more, (await logIn(loginName, more)).code]).toEqual([more, code]);
      expect(await call(server(), "/v1/auth/df", { method: "POST" })).toMatchObject({ status: 406, code: "207" });
      expect(
        await call(server(), "/v1/auth/df", { method: "POST", headers: { "content-type": "application/json" } }),
      ).toMatchObject({ status: 400, code: "300" });
      expect(await logIn(loginName, {}, { appkey: "unknown" })).toMatchObject({ status: 401, code: "101" });
    });

    test("too many failures lock out the custom user in every spelling, and no other user of that name", async () => {
      const { loginName } = await create("demo", "admin");
      for (let attempt = 0; attempt < 5; attempt += 1)
        for (const name of ["admin", "ADMIN"]) await logIn(name, { pass: "wrong" });
      const locked = await logIn(loginName);
      expect(locked).toMatchObject({ status: 403, code: "302" });
      expect(Number(locked.headers["retry-after"])).toBeGreaterThan(0);
      expect(
        await call(server(), "/v1/login", {
          method: "POST",
          body: { user: "admin", pass: "admin", appNames: "demo-app" },
        }),
      ).toMatchObject({ code: "0" });
      expect(await logIn((await create()).loginName)).toMatchObject({ code: "0" });
    });

    test("counts sessions of a device for all custom users of a database user: the sixth log-in ends the first", async () => {
      const [one, other] = [await create(), await create()];
      const device = { deviceId: "custom tablet" };
      const sessions = [await sessionOf(one.loginName)];
      for (const { loginName } of [one, other, one, other, one, other])
        sessions.push(await sessionOf(loginName, { device }));
      expect(await Promise.all(sessions.map((id) => checkSession(server(), id)))).toEqual([
        "0",
        "201",
        "0",
        "0",
        "0",
        "0",
        "0",
      ]);
    });

    test("ends sessions at once when the custom user is disabled, removed, mapped to another user or given another password", async () => {
      const { accounts } = repositories();
      const bystander = await sessionOf((await create()).loginName);
      const endings: readonly ((account: Account) => Promise<unknown>)[] = [
        ({ id }) => accounts.change(id, { disabled: true }),
        ({ id }) => accounts.remove([id]),
        async ({ id }) => accounts.change(id, { userId: (await userNamed("demo")).userId }),
        ({ id, secret, secretVersion }) => accounts.setSecret(id, secret, secretVersion),
      ];
      for (const end of endings) {
        const account = await create();
        const sessionId = await sessionOf(account.loginName);
        expect(await checkSession(server(), sessionId)).toBe("0");
        await end(account);
        expect(await checkSession(server(), sessionId)).toBe("201");
      }
      expect(await checkSession(server(), bystander)).toBe("0");
    });

    test("a disabled database user ends the sessions of its custom users and refuses their log-ins", async () => {
      const account = await create();
      const sessionId = await sessionOf(account.loginName);
      const { accounts } = repositories();
      await accounts.change(account.userId, { disabled: true });
      const codes = [await checkSession(server(), sessionId), (await logIn(account.loginName)).code];
      await accounts.change(account.userId, { disabled: false });
      expect(codes).toEqual(["201", "302"]);
      expect(await logIn(account.loginName)).toMatchObject({ code: "0" });
    });
  },
  { environment: customUserEnvironment },
);
