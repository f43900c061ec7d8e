import type { ClassDefinition } from "@sallyport/storage";
import { checkSessionIn, tryLogIn } from "../client.ts";
import { everything, deletionFixture } from "./deletion-fixture.ts";
import { sessionEndedCode, testedModes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { onEngines } from "../engines.ts";
import { objectEnvironment } from "./object-environment.ts";

/** How users and groups are deleted. */
onEngines(
  "users that are deleted",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, repositories, send, create, remove, recycle, restore, read, define } = deletionFixture(
        server,
        mode,
      );
      test("ends all sessions of a deleted user", async () => {
        const { accounts } = repositories();
        const { account } = await accounts.find({ realm: "database", loginName: "reader" }, []);
        for (const [query, administrator] of [
          ["?moveToRecycler=true", true],
          ["", false],
        ] as const) {
          const name = `leaving-${mode}-${administrator}`;
          const userId = await create("User", { Name: name }, sessions.admin);
          await accounts.create({ userId, loginName: name, secret: account?.secret as string, administrator }, name);
          const session = await openSession(server(), mode, name, { password: "reader" });
          expect(await checkSessionIn(server(), session)).toBe("0");
          expect(await remove(userId, { query, as: sessions.admin })).toMatchObject({ code: "0" });
          expect(await checkSessionIn(server(), session)).toBe(sessionEndedCode[mode]);
          expect(await tryLogIn(server(), name, { pass: "reader" })).toMatchObject({ status: 403, code: "302" });
          if (query === "") continue;
          expect(await restore(userId, sessions.admin)).toMatchObject({ code: "0", body: { data: { Name: name } } });
          expect(await tryLogIn(server(), name, { pass: "reader" })).toMatchObject({ status: 403, code: "302" });
        }
      });

      test("keeps a group while a class gives it rights, also in a race", async () => {
        const name = `Granting_${mode}`;
        const grant = (...groups: string[]) =>
          send(sessions.admin, `/v1/model/structure/${name}`, "PUT", {
            attributes: [],
            rights: groups.map((group) => ({ group, permissions: ["read"] })),
          });
        expect((await grant()).code).toBe("0");
        const group = await create("UserGroup", { Name: "Kept" }, sessions.admin);
        await grant(group);
        for (const query of ["", "?moveToRecycler=true"])
          expect(await remove(group, { query, as: sessions.admin })).toMatchObject({ status: 500, code: "718" });
        expect(await grant()).toMatchObject({ code: "0" });
        expect(await recycle(group, sessions.admin)).toMatchObject({ code: "0" });
        expect(await grant(group)).toMatchObject({ status: 400, code: "307" });

        for (let round = 0; round < 4; round += 1) {
          const next = await create("UserGroup", { Name: `Race ${round}` }, sessions.admin);
          const [granted, removed] = await Promise.all([grant(next), remove(next, { as: sessions.admin })]);
          expect([`${granted.code} ${removed.code}`]).toEqual([expect.stringMatching(/^(?:0 718|307 0)$/)]);
          expect((await grant()).code).toBe("0");
        }
      });

      test("hides objects that only a deleted group could read", async () => {
        const group = await create("UserGroup", { Name: "Going" }, sessions.admin);
        const [object] = await repositories().objects.insert([
          { className: "Customer", attributes: { Name: "Kept" }, readers: [group] },
        ]);
        expect(await remove(group, { as: sessions.admin })).toMatchObject({ code: "0" });
        expect(await read(object?.id as string)).toMatchObject({ status: 404, code: "304" });
        expect(await read(object?.id as string, sessions.admin)).toMatchObject({ code: "0" });
      });

      test("refuses self-deletion, and lets only administrators delete users", async () => {
        const { accounts, model } = repositories();
        const id = (await accounts.find({ realm: "database", loginName: "admin" }, [])).account?.userId as string;
        const user = (await model.load()).classes.find(({ name }) => name === "User") as ClassDefinition;
        for (const query of ["", "?moveToRecycler=true"])
          expect(await remove(id, { query, as: sessions.admin })).toMatchObject({ status: 500, code: "718" });
        expect(await remove(id)).toMatchObject({ status: 404, code: "304" });
        await define({ ...user, rights: [{ group: "*", permissions: everything }] });
        try {
          for (const query of ["", "?moveToRecycler=true"])
            expect(await remove(id, { query })).toMatchObject({ status: 403, code: "404" });
          // The reason is revealed to administrators only.
          await send(sessions.admin, `/v1/lock/object/${id}`, "POST");
          for (const query of ["", "?moveToRecycler=true"])
            expect(await remove(id, { query })).toMatchObject({ status: 403, code: "404" });
          await send(sessions.admin, `/v1/lock/object/${id}`, "DELETE");
        } finally {
          await define(user);
        }
        expect(await read(id, sessions.admin)).toMatchObject({ code: "0" });
      });
    });
  },
  { environment: objectEnvironment },
);
