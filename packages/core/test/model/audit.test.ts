import { RemoveClass } from "../../src/index.ts";
import { sessionContext } from "../session-context.ts";
import { administrator, type ModelFixture, openModelFixture, outcomeOf } from "./model-fixture.ts";

describe("the audit of model changes", () => {
  let fixture: ModelFixture;

  beforeEach(async () => {
    fixture = await openModelFixture();
  });

  const told = async () => (await fixture.r.audit.read(0, 100)).map(({ type, className }) => `${type} ${className}`);

  test("tells who created, changed and removed which class", async () => {
    await fixture.put("Order");
    await fixture.put("Order", { attributes: [{ name: "Number", type: "string" }] });
    await fixture.remove("Order");
    const { requestId, appKey, origin } = fixture.context;
    const common = {
      requestId,
      outcome: 0,
      appKeyId: appKey.id,
      actorId: administrator.userId,
      subjectId: null,
      address: origin.address,
      appNames: [],
      className: "Order",
      attempts: 1,
    };
    const events = await fixture.r.audit.read(0, 10);
    expect(events).toEqual(
      ["class.created", "class.changed", "class.removed"].map((type) => expect.objectContaining({ ...common, type })),
    );
  });

  test("tells nothing of what is refused, and of what leaves the class as it was", async () => {
    await fixture.put("Order");
    await fixture.put("Order");
    await fixture.insert({ className: "Order", attributes: {} });
    const nobody = { userId: "2", groups: [], administrator: false };
    const refused = [
      fixture.put("Order", { attributes: [{ name: "Number", type: "string", mandatory: true }] }),
      fixture.put("Other", {}, [1_000]),
      fixture.put("Other", {}, null, nobody),
      fixture.remove("Order"),
      fixture.remove("Nothing"),
      fixture.remove("Image", null, nobody),
    ];
    expect(await Promise.all(refused.map(outcomeOf))).not.toContain("ok");
    expect(await told()).toEqual(["class.created Order"]);
  });

  test("is kept with the change, or neither is", async () => {
    await fixture.put("Order");
    const context = await sessionContext(fixture, administrator);
    const failing = Object.assign(Object.create(fixture.database.storage) as typeof fixture.database.storage, {
      transaction: (work: Parameters<typeof fixture.database.storage.transaction>[0]) =>
        fixture.database.storage.transaction(async (r, attempt) => {
          await work(r, attempt);
          throw new Error("taken back");
        }),
    });
    const database = Object.assign(Object.create(fixture.database) as typeof fixture.database, { storage: failing });
    const removal = new RemoveClass({ begin: () => {} }).run(
      { ...context, database },
      { name: "Order", expectedGenerations: null },
    );
    await expect(removal).rejects.toThrow("taken back");
    expect(await told()).toEqual(["class.created Order"]);
    expect((await fixture.structure()).map(({ name }) => name)).toContain("Order");
  });
});
