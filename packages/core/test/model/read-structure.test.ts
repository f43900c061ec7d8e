import { AlignIndexes } from "../../src/index.ts";
import { type ModelFixture, openModelFixture } from "./model-fixture.ts";

describe("ReadStructure", () => {
  let fixture: ModelFixture;
  let group: string;
  beforeEach(async () => {
    fixture = await openModelFixture();
    group = await fixture.group();
    await fixture.put("Secret", { attributes: [{ name: "Hidden", type: "string" }] });
    await fixture.put("Order", {
      base: "Secret",
      attributes: [
        { name: "Of", type: "reference", target: "Secret" },
        { name: "Next", type: "reference", target: "Order" },
      ],
      rights: [
        { group: "*", permissions: ["read"] },
        { group, permissions: ["create", "write"] },
      ],
    });
    await fixture.put("Inbox", { rights: [{ group: "*", permissions: ["create"] }] });
  });

  const principal = (...groups: string[]) => ({ userId: "2", groups, administrator: false });

  test("shows a caller what he may read, with his own permissions and without the rights of others", async () => {
    const [order, ...others] = await fixture.structure(principal());
    expect(others).toEqual([]);
    expect(order).toMatchObject({ name: "Order", permissions: ["read"] });
    expect(order).not.toHaveProperty("rights");
    expect((await fixture.structure(principal(group)))[0]?.permissions).toEqual(["read", "create", "write"]);
  });

  test("names no class that the caller may not read", async () => {
    const [order] = await fixture.structure(principal());
    expect(order).toMatchObject({
      base: null,
      attributes: [
        { name: "Hidden", inherited: true },
        { name: "Of", target: null },
        { name: "Next", target: "Order" },
      ],
    });
    expect(JSON.stringify(order)).not.toContain("Secret");
  });

  test("tells that an index is ready when lists of the whole family use it", async () => {
    const attributes = [{ name: "Total", type: "number", indexed: true }] as const;
    await fixture.put("Base", { attributes });
    await fixture.put("Below", { base: "Base" });
    const stateOf = async (name: string) =>
      (await fixture.structure()).find((each) => each.name === name)?.attributes[0]?.indexState;
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["building", "building"]);
    const { storage } = fixture.database;
    await storage.alignIndexes([{ className: "Base", attribute: "Total", type: "number" }]);
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["building", "building"]);
    await storage.alignIndexes([{ className: "Below", attribute: "Total", type: "number" }]);
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["building", "ready"]);
    expect(await new AlignIndexes().run(storage)).toEqual({
      built: [{ className: "Base", attribute: "Total", type: "number" }],
      removed: 0,
      left: [],
    });
    expect([await stateOf("Base"), await stateOf("Below")]).toEqual(["ready", "ready"]);
  });

  test("shows an administrator everything", async () => {
    const classes = await fixture.structure();
    expect(classes.map(({ name }) => name)).toEqual([
      "User",
      "UserGroup",
      "Image",
      "File",
      "xRestApiUserProvider",
      "Secret",
      "Order",
      "Inbox",
    ]);
    expect(classes.find(({ name }) => name === "Order")).toMatchObject({
      base: "Secret",
      rights: [{ group: "*" }, { group }],
      permissions: ["read", "create", "write", "delete"],
    });
  });
});
