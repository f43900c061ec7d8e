import type { ObjectId } from "@sallyport/storage";
import { inTransaction, type ObjectContext } from "../../src/index.ts";
import { sessionContext } from "../session-context.ts";
import { code, MacroFixture } from "./macro-fixture.ts";

let macros: MacroFixture;

beforeEach(async () => {
  macros = await MacroFixture.open();
});

describe("macro access", () => {
  let groups: ObjectId[];
  let member: ObjectContext;
  let administrator: ObjectContext;

  beforeEach(async () => {
    groups = await macros.fixture.insert({ className: "UserGroup", attributes: { Name: "Accounting" } });
    const [userId] = (await macros.fixture.insert({
      className: "User",
      attributes: { Name: "anna", Groups: groups },
    })) as [ObjectId];
    const context = await sessionContext(macros.fixture, { userId, groups });
    member = { ...context, session: { ...context.session, appNames: ["office"] } };
    administrator = await sessionContext(macros.fixture, { administrator: true });
    macros.define("Closed", async () => "closed", { access: {} });
    macros.define("Grouped", async (_ask, { skipCheck, caller }) => [skipCheck ?? null, caller ?? null], {
      access: { groups: ["Accounting"], skipCheck: { apps: ["office"] } },
    });
    macros.define("OfApp", async () => "app", { access: { apps: ["office"], groups: ["Accounting"] } });
  });

  test("requires the group and the app name, and administrators always have it", async () => {
    await expect(macros.execute("Closed", null, { as: member })).rejects.toEqual(code(401));
    await expect(macros.execute("Grouped")).rejects.toEqual(code(401));
    await expect(macros.execute("OfApp", null, { as: member })).resolves.toBe("app");
    const otherApp = { ...member, session: { ...member.session, appNames: ["other"] } };
    await expect(macros.execute("OfApp", null, { as: otherApp })).rejects.toEqual(code(401));
    for (const name of ["Closed", "Grouped", "OfApp"])
      await expect(macros.execute(name, null, { as: administrator })).resolves.toBeDefined();
  });

  test("decides who may skip the check", async () => {
    await expect(macros.execute("Grouped", null, { as: member, skipCheck: true })).resolves.toEqual([
      true,
      expect.anything(),
    ]);
    await expect(macros.execute("OfApp", null, { as: member, skipCheck: true })).rejects.toEqual(code(402));
    await expect(macros.execute("Closed", null, { as: administrator, skipCheck: true })).resolves.toBe("closed");
  });

  test("passes a module no names, unless its text refers to the caller", async () => {
    const nameless = {
      userId: member.principal.userId,
      administrator: false,
      appNames: ["office"],
      database: "test",
      name: "",
      groups: [],
    };
    await expect(macros.execute("Grouped", null, { as: member })).resolves.toEqual([false, nameless]);
    macros.define("Grouped", async (_ask, { caller }) => caller ?? null, { input: "caller" });
    const named = { ...nameless, name: "anna", groups: [{ id: groups[0], name: "Accounting" }] };
    await expect(macros.execute("Grouped", null, { as: member })).resolves.toEqual(named);
  });

  test("is audited when refused", async () => {
    await expect(macros.execute("Closed", null, { as: member })).rejects.toEqual(code(401));
    await expect(macros.execute("OfApp", null, { as: member, skipCheck: true })).rejects.toEqual(code(402));
    expect(await macros.fixture.r.audit.read(0, 10)).toMatchObject([
      { type: "macro.refused", outcome: 401, macroName: "Closed", actorId: member.principal.userId },
      { type: "macro.refused", outcome: 402, macroName: "OfApp" },
    ]);
  });

  test("is audited when refused, even if the surrounding transaction is rolled back", async () => {
    const refused = inTransaction(member, (inside) => macros.execute("Closed", null, { as: inside }));
    await expect(refused).rejects.toEqual(code(401));
    expect(await macros.fixture.r.audit.read(0, 10)).toMatchObject([
      { type: "macro.refused", outcome: 401, macroName: "Closed" },
    ]);
  });

  test.each(["", "a-b", "1a", "a".repeat(129), "a b", "ä"])("refuses the invalid name %j", async (name) => {
    await expect(macros.execute(name)).rejects.toEqual(code(400));
  });

  test.each(["__proto__", "constructor", "Nothing"])("refuses the unknown name %s", async (name) => {
    await expect(macros.execute(name)).rejects.toEqual(code(710));
  });
});
