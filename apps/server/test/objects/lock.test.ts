import type { ClientSession } from "@sallyport/client";
import { logOutIn } from "../client.ts";
import { locksPerSession } from "../test-environment.ts";
import { writeFixture } from "./write-fixture.ts";
import { onEngines } from "../engines.ts";
import { testedModes } from "../modes.ts";
import { objectEnvironment } from "./object-environment.ts";

/** How sessions lock objects, and for how long. */
onEngines(
  "locks of objects",
  (server) => {
    describe.each(testedModes)("in mode %s", (mode) => {
      const { sessions, repositories, send, seen, logIn, create, patch, lock, found } = writeFixture(server, mode);
      const idOf = async (loginName: string) =>
        (await repositories().accounts.find({ realm: "database", loginName }, [])).account?.userId;
      test("lets only one session write an object that it has locked", async () => {
        const id = await create("Customer", { Name: "Ada" });
        const other = await logIn("demo");
        const reader = await logIn("reader");
        expect(seen(await lock(id, "GET", sessions.demo))).toMatchObject({
          code: "0",
          data: { isLocked: false, messages: [] },
        });
        const since = expect.stringMatching(/^\d{8}T\d{6}[+-]\d\d:\d\d$/);
        const userId = await idOf("demo");
        const mine = {
          isLocked: true,
          messages: [expect.stringMatching(/^This session has locked the object since \d{8}T\d{6}[+-]\d\d:\d\d\.$/)],
          isOwn: true,
          since,
          userId,
        };
        const theirs = {
          isLocked: true,
          messages: [expect.stringMatching(/^Another session has locked the object since /)],
          isOwn: false,
          since,
        };
        for (let round = 0; round < 2; round += 1)
          expect(seen(await lock(id, "POST", sessions.demo))).toMatchObject({ code: "0", data: mine });
        const states = [sessions.demo, reader, sessions.admin].map(async (as) => (await lock(id, "GET", as)).body.data);
        // Who cannot see a user does not learn who has locked the object.
        expect(await Promise.all(states)).toEqual([mine, theirs, { ...theirs, userId }]);

        for (const as of [other, sessions.admin]) {
          expect(await patch(id, { Name: "Bob" }, {}, as)).toMatchObject({ status: 500, code: "713" });
          expect(await lock(id, "POST", as)).toMatchObject({ status: 500, code: "713" });
        }
        expect(await lock(id, "DELETE", other)).toMatchObject({ status: 500, code: "713" });
        expect(await patch(id, { Name: "Carl" })).toMatchObject({ code: "0" });

        expect(seen(await lock(id, "DELETE", sessions.demo))).toMatchObject({
          code: "0",
          data: { isLocked: false, messages: [] },
        });
        expect(await patch(id, { Name: "Dora" }, {}, other)).toMatchObject({ code: "0" });
        expect(await lock(id, "DELETE", sessions.demo)).toMatchObject({ code: "0" });
        expect(await found(id)).toMatchObject({ version: 3, attributes: { Name: "Dora" } });
      });

      test("lets an administrator take a lock over, with an audit event", async () => {
        const id = await create("Customer", { Name: "Ada" });
        const takeOver = (as: ClientSession) => send(as, `/v1/lock/object/${id}?takeOver=true`, "POST");
        const { audit } = repositories();
        const before = (await audit.read(0, 100_000)).at(-1)?.sequence ?? 0;
        const holder = await logIn("demo");
        await lock(id, "POST", holder);
        expect(await takeOver(sessions.demo)).toMatchObject({ status: 403, code: "404" });
        expect(await takeOver(await logIn("reader"))).toMatchObject({ status: 403, code: "404" });
        expect(await patch(id, { Name: "Bob" }, {}, holder)).toMatchObject({ code: "0" });
        for (let round = 0; round < 2; round += 1)
          expect(await takeOver(sessions.admin)).toMatchObject({ code: "0", body: { data: { isOwn: true } } });
        expect(await patch(id, { Name: "Carl" }, {}, holder)).toMatchObject({ status: 500, code: "713" });
        expect(await lock(id, "POST", holder)).toMatchObject({ status: 500, code: "713" });
        expect(await patch(id, { Name: "Dora" }, {}, sessions.admin)).toMatchObject({ code: "0" });

        const [demo, admin] = [await idOf("demo"), await idOf("admin")];
        const events = (await audit.read(before, 1_000)).filter(({ type }) => type === "objectLock.takenOver");
        expect(events).toEqual([
          expect.objectContaining({
            actorId: admin,
            className: "Customer",
            changes: [
              { name: "holder", before: demo, after: admin },
              { name: "object", before: null, after: id },
            ],
          }),
        ]);
        await lock(id, "DELETE", sessions.admin);
        expect(await takeOver(sessions.admin)).toMatchObject({ code: "0", body: { data: { isOwn: true } } });
        await lock(id, "DELETE", sessions.admin);
      });

      test("limits the locks of a session", async () => {
        const session = await logIn("demo");
        const ids = await Promise.all(
          Array.from({ length: locksPerSession + 3 }, () => create("Customer", { Name: "Ada" })),
        );
        const answers = await Promise.all(ids.map((id) => lock(id, "POST", session)));
        const refused = ids.filter((_, index) => answers[index]?.code === "307");
        expect([answers.filter(({ code }) => code === "0").length, refused.length]).toEqual([locksPerSession, 3]);
        expect(answers.find(({ code }) => code === "307")).toMatchObject({ status: 400 });

        const [next, taken] = [refused[0] as string, ids.find((id) => !refused.includes(id)) as string];
        expect(await lock(taken, "POST", session)).toMatchObject({ code: "0" });
        expect(await lock(next, "POST", await logIn("demo"))).toMatchObject({ code: "0" });
        expect(await lock(next, "POST", session)).toMatchObject({ status: 500, code: "713" });
        expect(await lock(taken, "DELETE", session)).toMatchObject({ code: "0" });
        expect(await lock(refused[1] as string, "POST", session)).toMatchObject({ code: "0" });
        expect(await lock(taken, "POST", session)).toMatchObject({ status: 400, code: "307" });
        await logOutIn(server(), session);
      });

      test("releases a lock with its session, and lets an administrator release it", async () => {
        const id = await create("Customer", { Name: "Ada" });
        const leaving = await logIn("demo");
        await lock(id, "POST", leaving);
        expect((await patch(id, { Name: "Bob" })).code).toBe("713");
        await logOutIn(server(), leaving);
        expect((await patch(id, { Name: "Bob" })).code).toBe("0");

        const device = { deviceId: `lock-${mode}` };
        await lock(id, "POST", await logIn("demo", { device }));
        for (let beside = 1; beside < 5; beside += 1) await logIn("demo", { device });
        expect((await patch(id, { Name: "Carl" })).code).toBe("713");
        const next = await logIn("demo", { device });
        expect((await patch(id, { Name: "Carl" })).code).toBe("0");

        await lock(id, "POST", next);
        expect(seen(await lock(id, "DELETE", sessions.admin))).toMatchObject({ code: "0", data: { isLocked: false } });
        expect((await patch(id, { Name: "Dora" })).code).toBe("0");
      });
    });
  },
  { environment: objectEnvironment },
);
