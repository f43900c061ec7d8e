import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import type { Page, Request } from "playwright-core";
import { accessibilityFaults, administrator, OpenConsole } from "../open-console.ts";

/** Tab-separated texts over the cells of a list. */
describe("paste into a list of the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  let page: Page;
  let depots: readonly string[];
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { DEBUG_MESSAGES: "true" });
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    const rights = [{ group: "*", permissions: ["read", "create", "write", "delete"] }] as const;
    await client.putClass("Depot", { title: "City", attributes: [{ name: "City", type: "string" }], rights });
    await client.putClass("Parcel", {
      attributes: [
        { name: "Name", type: "string", mandatory: true },
        { name: "Weight", type: "number" },
        { name: "Sent", type: "date" },
        { name: "Depot", type: "reference", target: "Depot" },
        { name: "Note", type: "string" },
      ],
      rights,
    });
    depots = await Promise.all(
      ["Graz", "Linz", "Wels", "Wels"].map(async (City) => (await client.createObject("Depot", { City }))["~ObjectID"]),
    );
    page = await opened.logIn();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const grid = () => page.getByRole("grid");
  const dialog = () => page.getByRole("dialog", { name: "Paste into the list" });
  const line = (name: string, attribute: string) =>
    dialog().getByRole("row").filter({ hasText: name }).filter({ hasText: attribute });
  const button = (name: string) => dialog().getByRole("button", { name, exact: true });
  /** Parcels with a name of their own, in the order of the list. */
  const newParcels = async (all: readonly object[]) => {
    const mark = randomUUID();
    const names = all.map((_, place) => `${mark} ${String.fromCodePoint(97 + place)}`);
    const ids = [];
    for (const [place, attributes] of all.entries()) {
      const parcel = { Name: names[place], Depot: depots[0], ...attributes };
      ids.push((await client.createObject("Parcel", parcel))["~ObjectID"]);
    }
    await page.goto(`${opened.address}#/classes/Parcel?sort=Name&search=${mark}`);
    await grid()
      .getByRole("gridcell", { name: names.at(-1) ?? "", exact: true })
      .waitFor();
    return { names, ids };
  };
  const emptyCells = (name: string) => dialog().getByRole("radiogroup", { name: "Empty cells" }).getByText(name);
  const cell = (name: string) => grid().getByRole("gridcell", { name, exact: true });
  const paste = async (text: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.keyboard.press("Control+v");
    await dialog().waitFor();
  };
  const writes = () => {
    const sent: Request[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent.push(request);
    });
    return sent;
  };

  test("shows what would change, and sends changed members only, over the versions that it shows", async () => {
    const { names, ids } = await newParcels([{ Weight: 1, Note: "" }, { Weight: 2 }, { Weight: 3, Note: "kept" }]);
    const sent = writes();
    await cell("1").click();
    await paste("1.0\t2026-07-31\tLinz\tfragile\n7,5\t2026-07-31T10:00:00+02:00\tWels\t\n8\t\tGraz\tkept\n");
    await line(names[0] ?? "", "Depot")
      .filter({ hasText: "Graz" })
      .filter({ hasText: "Linz" })
      .waitFor();
    expect(await line(names[0] ?? "", "Weight").count()).toBe(0);
    await line(names[0] ?? "", "Note")
      .filter({ hasText: "empty" })
      .filter({ hasText: "fragile" })
      .waitFor();
    await line(names[0] ?? "", "Sent")
      .filter({ hasText: "never set" })
      .filter({ hasText: "2026-07-31" })
      .waitFor();
    await line(names[1] ?? "", "Weight")
      .getByText("Not changed: Enter a number")
      .waitFor();
    await line(names[1] ?? "", "Depot")
      .getByText("Several objects have this title")
      .waitFor();
    await line(names[2] ?? "", "Weight")
      .filter({ hasText: "8" })
      .waitFor();
    expect(await dialog().getByRole("row").count()).toBe(1 + 3 + 3 + 1);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(sent).toEqual([]);

    await button("Change 3 objects").click();
    await dialog().waitFor({ state: "detached" });
    await cell("8").waitFor();
    await cell("Linz").waitFor();
    const bodies = new Map(sent.map((request) => [request.url().split(/[/?]/).at(-2), request]));
    expect(ids.map((id) => bodies.get(id)?.postDataJSON())).toEqual([
      { Sent: "2026-07-31", Depot: depots[1], Note: "fragile" },
      { Sent: "2026-07-31T08:00:00.000Z" },
      { Weight: 8 },
    ]);
    expect(sent.map((request) => request.headers()["if-match"])).toEqual(['"1"', '"1"', '"1"']);
    // What the list shows now, pasted over itself, changes nothing.
    await cell("1").click();
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Control+c");
    while (!String(await page.evaluate("navigator.clipboard.readText()")).includes("Linz"));
    await page.keyboard.press("Control+v");
    await dialog().getByText("Nothing would change.").waitFor();
    expect(await button("Change 0 objects").isDisabled()).toBe(true);
    await button("Cancel").click();
  });

  test("a text fills the cells that a pointer has selected, and empty cells are kept, null or empty", async () => {
    const { names, ids } = await newParcels([{ Note: "x" }, { Note: "y" }]);
    const [from, to] = [await cell("x").boundingBox(), await cell("y").boundingBox()];
    await page.mouse.move((from?.x ?? 0) + 20, (from?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move((to?.x ?? 0) + 20, (to?.y ?? 0) + 10);
    await page.mouse.up();
    await paste("filled");
    await line(names[0] ?? "", "Note").waitFor();
    await line(names[1] ?? "", "Note").waitFor();
    await button("Cancel").click();
    await dialog().waitFor({ state: "detached" });

    await cell("x").click();
    await paste('""\t\n"z"');
    await line(names[1] ?? "", "Note").waitFor();
    expect(await line(names[0] ?? "", "Note").count()).toBe(0);
    await dialog().getByText("1 cell would be beside the list.").waitFor();
    await emptyCells("empty").click();
    await line(names[0] ?? "", "Note")
      .filter({ hasText: "empty" })
      .waitFor();
    await emptyCells("null").click();
    await line(names[0] ?? "", "Note")
      .filter({ hasText: "null" })
      .waitFor();
    await button("Change 2 objects").click();
    await dialog().waitFor({ state: "detached" });
    expect(await client.getObject(ids[0] ?? "")).toMatchObject({ Note: null });
    expect(await client.getObject(ids[1] ?? "")).toMatchObject({ Note: "z" });
  });

  test("objects that were changed or deleted in between are listed with the refusal", async () => {
    const { names, ids } = await newParcels([{ Note: "p" }, { Note: "q" }, { Note: "r" }, { Note: "s" }]);
    await client.deleteObject(ids[3] ?? "");
    await cell("p").click();
    await paste("1\n2\n3\n4");
    await line(names[3] ?? "", "609").waitFor();
    await client.updateObject(ids[0] ?? "", { Note: "theirs" });
    await button("Change 3 objects").click();
    await dialog().getByText("Changed: 2. Refused: 1. Not tried: 0.").waitFor();
    const refusal = dialog()
      .getByRole("alert")
      .filter({ hasText: names[0] ?? "" });
    await refusal.getByText("Code 713").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Close" }).last().click();
    expect(await client.getObject(ids[0] ?? "")).toMatchObject({ Note: "theirs" });
    expect(await client.getObject(ids[2] ?? "")).toMatchObject({ Note: "3" });
  });

  test("refuses more than 1,000 cells, and pastes over objects of several pages", async () => {
    const mark = randomUUID();
    const all = Array.from({ length: 210 }, (_, place) => ({ Name: `${mark} ${place}` }));
    for (let start = 0; start < all.length; start += 50)
      await client.createObjects("Parcel", all.slice(start, start + 50));
    await page.goto(`${opened.address}#/classes/Parcel?sort=~ObjectID&search=${mark}`);
    await cell(`${mark} 0`).waitFor();
    await grid().focus();
    while (!(await cell(`${mark} 209`).isVisible())) await page.keyboard.press("Control+End");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await paste(Array.from({ length: 210 }, () => "a\t1\t2026-01-01\tGraz\ta").join("\n"));
    await dialog().getByText("1,050 cells are too many").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    await dialog().waitFor({ state: "detached" });
    await page.keyboard.press("ArrowRight");
    for (let pages = 0; pages < 2; pages += 1) await page.keyboard.press("PageDown");
    await paste(Array.from({ length: 120 }, (_, place) => String(place)).join("\n"));
    await button("Change 120 objects").click();
    await page.getByRole("alert").filter({ hasText: "120 objects were changed." }).waitFor();
    const { "~Count": count } = await client.listObjects("Parcel", {
      query: { where: { $and: [{ Name: { $contains: mark } }, { Weight: { $exists: true } }] } },
    });
    expect(count).toBe(120);
  });
});
