import { MacroStore } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { type Answer, call, checkSession, tryLogIn } from "../client.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { onEngines } from "../engines.ts";
import { customUserEnvironment } from "../new-custom-user.ts";

const name = "xRestApi_Authenticate";
const digests = new NodeDigests();

/** How a hook authenticates custom users, on every engine. The server has only the macros of the test. */
onEngines(
  "custom users with an authentication hook",
  (server) => {
    const repositories = () => repositoriesOf(server());
    const put = async (run: string, more = "") => {
      const text = `import { defineHook, refuse } from "@sallyport/macros";\nexport default defineHook({ on: "${name}", ${more}\n  ${run}\n});\n`;
      await new MacroStore(repositories()).put({ name, text, language: "js", changedBy: "test" }, null);
    };
    const logIn = (user: string, pass = "word", more: object = {}): Promise<Answer> =>
      call(server(), "/v1/auth/df", { method: "POST", body: { user, pass, appNames: ["demo-app"], ...more } });
    const idOf = async (user: string) =>
      (await repositories().accounts.find({ realm: "database", loginName: user }, [])).account?.userId as string;
    const account = async (user: string) =>
      (await repositories().accounts.find({ realm: "custom", loginName: user }, [])).account;

    afterEach(async () => {
      await new MacroStore(repositories()).remove(name, { changedBy: "test", expectedVersion: null });
      expect(await logIn("partner", "partner")).toMatchObject({ code: "0" });
    });

    test("receives the client's values, and returns the mapped user", async () => {
      await put(`async run(user, pass, appNames, { caller, objects }) {
      if (user !== "Anna" || pass !== "word" || appNames.join() !== "demo-app" || caller.administrator !== true || caller.userId !== "0") return null;
      const { "~Elements": [found] } = await objects.find("User", { where: { Name: "demo" } });
      return { userId: found["~ObjectID"], name: "anna", email: "anna@example.com" };
    }`);
      const { code, body } = await logIn("Anna");
      expect([code, body.data.user.Name, body.data.user["~ObjectID"]]).toEqual(["0", "demo", await idOf("demo")]);
      expect(await checkSession(server(), body.data.sessionId)).toBe("0");
      expect(await account("anna")).toMatchObject({
        loginName: "anna",
        userId: await idOf("demo"),
        email: "anna@example.com",
        disabled: false,
      });
      expect(await account("Anna")).toBeNull();
      for (const [user, pass] of [
        ["Anna", "other"],
        ["anna", "word"],
        ["partner", "partner"],
      ] as const)
        expect(await logIn(user, pass)).toMatchObject({ status: 403, code: "302" });
      expect(await logIn("Anna", "word", { appNames: ["demo-seats"] })).toMatchObject({ code: "302" });
      expect(await logIn("Anna", "word", { appNames: ["unknown"] })).toMatchObject({ code: "208" });
    });

    test("can be overruled by disabling the account, and maps it to another user immediately", async () => {
      await put(`run() { return { userId: "${await idOf("reader")}", name: "berta" }; }`);
      const first = (await logIn("berta")).body.data.sessionId;
      const berta = await account("berta");
      await repositories().accounts.change(berta?.id ?? "", { disabled: true });
      expect(await checkSession(server(), first)).toBe("201");
      expect(await logIn("berta")).toMatchObject({ status: 403, code: "302" });
      await repositories().accounts.change(berta?.id ?? "", { disabled: false });
      const second = (await logIn("berta")).body.data.sessionId;
      await put(`run() { return { userId: "${await idOf("demo")}", name: "berta", email: "berta@example.com" }; }`);
      const answers = await Promise.all(Array.from({ length: 6 }, () => logIn("berta")));
      expect(answers.map(({ code, body }) => [code, body.data?.user.Name])).toEqual(answers.map(() => ["0", "demo"]));
      expect(await checkSession(server(), second)).toBe("201");
      expect(await account("berta")).toMatchObject({
        id: berta?.id,
        userId: await idOf("demo"),
        email: "berta@example.com",
      });
    });

    test("concurrent first log-ins create one account", async () => {
      await put(`run(user) { return { userId: "${await idOf("reader")}", name: "clara" }; }`);
      const answers = await Promise.all(["Clara", "CLARA", "clara", "cLara"].map((user) => logIn(user)));
      expect(answers.map(({ code }) => code)).toEqual(["0", "0", "0", "0"]);
      const listed = await repositories().accounts.list("custom", null, 100);
      expect(listed.filter(({ loginName }) => loginName.toLowerCase() === "clara")).toHaveLength(1);
      await new MacroStore(repositories()).remove(name, { changedBy: "test", expectedVersion: null });
      for (const pass of ["word", "", "clara"]) expect((await logIn("clara", pass || " ")).code).not.toBe("0");
    });

    test("a failure, an invalid result or a time-out fails the log-in with 710, without a check of accounts", async () => {
      const reader = await idOf("reader");
      const broken: readonly (readonly [string, string?])[] = [
        [`run() { throw new Error("no"); }`],
        [`run() { refuse(403, "not you"); }`],
        [`run() { return true; }`],
        [`run() { return []; }`],
        [`run() { return { userId: 5 }; }`],
        [`run() { return { userId: "" }; }`],
        [`run() { return { userId: "ZZZZZZZZ" }; }`],
        [`run() { return { userId: "${reader}", name: " " }; }`],
        [`run() { return { userId: "${reader}", name: 7 }; }`],
        [`run() { return { userId: "${reader}", email: "a@example.com, b@example.com" }; }`],
        [`run() { return { userId: "${reader}", administrator: true }; }`],
        [`run() { return { userId: "${reader}", name: "PARTNER" }; }`],
        [`async run(u, p, a, { objects }) { await objects.create("User", { Name: "made" }); return null; }`],
        [`run() { for (;;); }`, "timeout: 300,"],
        [`run() { return new Promise(() => {}); }`, "timeout: 300,"],
        [`nothing() {}`],
        [`run() { return null; }`, "classes: ["],
      ];
      for (const [run, more] of broken) {
        await put(run, more);
        const answer = await logIn("partner", "partner");
        expect([run, answer.status, answer.code]).toEqual([run, 500, "710"]);
        expect(answer.body).not.toHaveProperty("data");
      }
      const { body } = await tryLogIn(server(), "admin");
      const made = await call(server(), `/v1/objects/User?query=${encodeURIComponent('{"where":{"Name":"made"}}')}`, {
        sessionId: body.data.sessionId,
      });
      expect(made.body.data["~Count"]).toBe(0);
    });

    test("refuses a name that cannot be stored, from the hook or the client", async () => {
      await put(
        `run(user) { return { userId: "${await idOf("reader")}", name: user === "Gustav" ? "gus\\u0000tav" : undefined }; }`,
      );
      expect(await logIn("Gustav")).toMatchObject({ status: 500, code: "710" });
      for (const user of ["gustav\u0000", "\ud800"])
        expect(await logIn(user)).toMatchObject({ status: 403, code: "302" });
      expect(await logIn("gustav")).toMatchObject({ code: "0" });
    });

    test("does not admit a disabled user", async () => {
      const { accounts } = repositories();
      const reader = await idOf("reader");
      await put(`run() { return { userId: "${reader}", name: "dora" }; }`);
      await accounts.change(reader, { disabled: true });
      const answer = await logIn("dora");
      await accounts.change(reader, { disabled: false });
      expect(answer).toMatchObject({ status: 403, code: "302" });
    });

    test("cannot be executed by clients, and its failures count like all others", async () => {
      await put(
        `run(user, pass) { return pass === "right" ? { userId: "${await idOf("reader")}", name: "emil" } : null; }`,
      );
      const { body } = await tryLogIn(server(), "admin");
      const { sessionId } = body.data;
      expect(
        await call(server(), `/v1/execute/${name}`, {
          method: "POST",
          sessionId,
          body: { user: "a", pass: "b", appNames: [] },
        }),
      ).toMatchObject({ status: 500, code: "710" });
      // Spellings of one name count together: the hook may accept each of them.
      for (let attempt = 0; attempt < 5; attempt += 1)
        for (const user of ["emil", "EMIL"]) expect(await logIn(user, "wrong")).toMatchObject({ code: "302" });
      const locked = await logIn("emil", "right");
      expect(locked).toMatchObject({ status: 403, code: "302" });
      expect(Number(locked.headers["retry-after"])).toBeGreaterThan(0);
    });

    test("only the module of this name is the hook", async () => {
      const text = `import { defineHook } from "@sallyport/macros";\nexport default defineHook({ on: "${name}", run: () => null });\n`;
      await new MacroStore(repositories()).put({ name: "Another", text, language: "js", changedBy: "test" }, null);
      expect(await logIn("partner", "partner")).toMatchObject({ code: "0" });
      await new MacroStore(repositories()).remove("Another", { changedBy: "test", expectedVersion: null });
    });

    test("receives the client's values unchanged", async () => {
      await put(
        `run(user, pass) { return pass === "${digests.md5("plain")}" ? { userId: "${await idOf("reader")}" } : null; }`,
      );
      expect(await logIn("fritz", digests.md5("plain"))).toMatchObject({ code: "0" });
      expect(await logIn("fritz", "plain")).toMatchObject({ code: "302" });
      expect(await account("fritz")).toMatchObject({ loginName: "fritz", email: null });
    });
  },
  { environment: customUserEnvironment },
);
