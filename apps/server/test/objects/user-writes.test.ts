import type { ClassDefinition } from "@sallyport/storage";
import { tryLogIn } from "../client.ts";
import { writeFixture } from "./write-fixture.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";
import { objectEnvironment } from "./object-environment.ts";

/** How users are written, whose names are log-in names. */
onEngines(
  "users that are written",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, repositories, send, seen, create, patch, found } = writeFixture(server, mode);
      test("renames the account together with the user, or neither", async () => {
        const { accounts } = repositories();
        const { account } = await accounts.find({ realm: "database", loginName: "reader" }, []);
        const names = ["before", "after", "taken"].map((name) => `${name}-${mode}`) as [string, string, string];
        const userId = await create("User", { Name: names[0] }, sessions.admin);
        await accounts.create(
          { userId, loginName: names[0], secret: account?.secret as string, administrator: false },
          names[0],
        );
        const taken = await create("User", { Name: names[2] }, sessions.admin);
        await accounts.create(
          { userId: taken, loginName: names[2], secret: account?.secret as string, administrator: false },
          names[2],
        );
        const logIn = async (name: string) => (await tryLogIn(server(), name, { pass: "reader" })).code;

        expect(await patch(userId, { Name: names[1] }, {}, sessions.admin)).toMatchObject({ code: "0" });
        expect([await logIn(names[0]), await logIn(names[1])]).toEqual(["302", "0"]);
        for (const name of [names[2], ` ${names[2].toUpperCase()}`, " ", ""]) {
          expect(await patch(userId, { Name: name, Description: "new" }, {}, sessions.admin)).toMatchObject({
            status: 400,
            code: "307",
          });
        }
        expect(await found(userId)).toMatchObject({ version: 2, attributes: { Name: names[1] } });
        expect(await logIn(names[1])).toBe("0");
      });

      test("gives look-alike names to one of several concurrent users", async () => {
        const name = `Quentin-${mode}`;
        const spellings = [name, name.toUpperCase(), ` ${name}`, `Q\u200Buentin-${mode}`, name.replace("Q", "\uFF31")];
        const answers = await Promise.all(
          [...spellings, ...spellings].map((each) => send(sessions.admin, "/v1/object/User", "POST", { Name: each })),
        );
        expect(answers.map(({ status, code }) => `${status}/${code}`).toSorted()).toEqual([
          "200/0",
          ...Array(9).fill("400/307"),
        ]);
        const id = answers.find(({ code }) => code === "0")?.body.data["~ObjectID"] as string;
        const others = await Promise.all(
          ["one", "two", "three"].map((each) => create("User", { Name: `${each}-${mode}` }, sessions.admin)),
        );
        for (const other of others)
          expect(await patch(other, { Name: name }, {}, sessions.admin)).toMatchObject({ status: 400, code: "307" });
        expect(await patch(id, { Name: name.toUpperCase() }, {}, sessions.admin)).toMatchObject({ code: "0" });
        expect(await send(sessions.admin, `/v1/object/${id}?moveToRecycler=true`, "DELETE")).toMatchObject({
          code: "0",
        });
        const renamed = await Promise.all(others.map((other) => patch(other, { Name: name }, {}, sessions.admin)));
        expect(renamed.map(({ code }) => code).toSorted()).toEqual(["0", "307", "307"]);
        expect(await send(sessions.admin, `/v1/object/${id}/restore`, "POST")).toMatchObject({
          status: 400,
          code: "307",
        });
      });

      test("reserves names and groups of users for administrators", async () => {
        const { model } = repositories();
        const { classes } = await model.load();
        const user = classes.find(({ name }) => name === "User") as ClassDefinition;
        const put = async (definition: ClassDefinition) =>
          model.change({ put: [definition] }, (await model.load()).generation);
        await put({ ...user, rights: [{ group: "*", permissions: ["read", "create", "write"] }] });
        try {
          const id = await create("User", { Name: `someone-${mode}` }, sessions.admin);
          for (const attributes of [{ Name: "other" }, { Groups: [] }, { Description: "x", Groups: null }]) {
            expect(await patch(id, attributes)).toMatchObject({ status: 403, code: "404" });
          }
          expect(await send(sessions.demo, "/v1/object/User", "POST", { Name: "new" })).toMatchObject({
            status: 403,
            code: "404",
          });
          expect(seen(await patch(id, { Description: "works here" }))).toMatchObject({
            code: "0",
            etag: '"2"',
            data: { Description: "works here" },
          });
        } finally {
          await put(user);
        }
      });
    });
  },
  { environment: objectEnvironment },
);
