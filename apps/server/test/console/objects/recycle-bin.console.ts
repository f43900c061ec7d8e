import { SallyportClient } from "@sallyport/client";
import type { Page } from "playwright-core";
import { accessibilityFaults, administrator, goTo, OpenConsole } from "../open-console.ts";

/** What was deleted and can be restored. */
describe("recycle bin of the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  let page: Page;
  const rights = [{ group: "*", permissions: ["read", "create", "write", "delete"] }] as const;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { DEBUG_MESSAGES: "true" });
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    await client.putClass("Crate", { attributes: [{ name: "Name", type: "string" }], rights });
    await client.putClass("Seal", {
      attributes: [
        { name: "Name", type: "string" },
        { name: "Crate", type: "reference", target: "Crate", onDelete: "cascade" },
      ],
      rights,
    });
    page = await opened.logIn();
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const button = (name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
  const row = (id: string) => page.getByRole("row").filter({ has: page.getByText(id, { exact: true }) });
  const notice = (text: string) => page.getByRole("alert").filter({ hasText: text });
  const create = async (className: string, attributes: object) =>
    (await client.createObject(className, attributes))["~ObjectID"];

  test("a deletion is undone from its notice, with what it took along", async () => {
    const crate = await create("Crate", { Name: "crate of glass" });
    const seal = await create("Seal", { Name: "seal", Crate: crate });
    await page.goto(`${opened.address}#/classes/Crate/${crate}`);
    await button("More actions").click();
    await page.getByRole("menuitem", { name: "Move to the recycle bin" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("crate of glass");
    await page.getByRole("dialog").getByRole("button", { name: "Move to the recycle bin" }).click();
    await notice("crate of glass is in the recycle bin.").waitFor();
    await expect(client.getObject(seal)).rejects.toMatchObject({ code: 609 });
    await notice("crate of glass").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("heading", { level: 1, name: "crate of glass" }).waitFor();
    expect(await client.getObject(seal)).toMatchObject({ Name: "seal" });
  });

  test("chosen objects are restored, refusals stay at their rows, and one is purged by its id", async () => {
    const kept = await create("Crate", { Name: "first" });
    const unfit = await create("Seal", { Name: "second" });
    const other = await create("Crate", { Name: "third" });
    for (const id of [kept, unfit, other]) await client.deleteObject(id, { recycle: true });
    const attributes = [
      { name: "Name", type: "string" },
      { name: "Crate", type: "reference", target: "Crate", onDelete: "cascade" },
      { name: "Wax", type: "string", mandatory: true },
    ] as const;
    for (const { "~ObjectID": id } of (await client.listObjects("Seal"))["~Elements"]) await client.deleteObject(id);
    await client.putClass("Seal", { attributes, rights });

    await page.goto(`${opened.address}#/classes/Crate`);
    await page.getByRole("main").getByRole("link", { name: "Recycle bin" }).click();
    await page.getByRole("heading", { level: 1, name: "Recycle bin" }).waitFor();
    await row(kept).getByText(administrator.user).waitFor();
    await page.getByRole("checkbox", { name: `Crate ${kept}` }).check();
    await page.getByRole("checkbox", { name: `Seal ${unfit}` }).check();
    await button("Restore 2 chosen").click();
    await notice("The object was restored.").waitFor();
    await row(unfit).getByRole("alert").filter({ hasText: "Code 307" }).waitFor();
    await row(kept).waitFor({ state: "detached" });
    expect(await client.getObject(kept)).toMatchObject({ Name: "first" });
    expect(await accessibilityFaults(page)).toEqual([]);
    await button("Restore 1 chosen").waitFor();

    await button(`Restore ${other}`).click();
    await row(other).waitFor({ state: "detached" });
    expect(await client.getObject(other)).toMatchObject({ Name: "third" });

    await button(`Delete ${unfit} permanently`).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete permanently" });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByRole("dialog").getByRole("textbox").fill(unfit);
    await confirm.click();
    await row(unfit).waitFor({ state: "detached" });
    await expect(client.restoreObject(unfit)).rejects.toMatchObject({ code: 609 });
  });

  test.each([
    ["light", 390],
    ["dark", 1_280],
  ] as const)("is accessible in the %s scheme at %i px", async (scheme, width) => {
    const id = await create("Crate", { Name: "fourth" });
    await client.deleteObject(id, { recycle: true });
    const tab = await opened.logIn({ scheme, width });
    if (width < 400) await tab.goto(`${opened.address}#/recycle-bin`);
    else await goTo(tab, "Recycle bin");
    await tab.getByRole("checkbox", { name: `Crate ${id}` }).check();
    expect(await accessibilityFaults(tab)).toEqual([]);
    expect(await tab.evaluate("document.documentElement.scrollWidth")).toBe(width);
    if (process.env["PICTURES"] !== undefined)
      await tab.screenshot({ path: `${process.env["PICTURES"]}/recycle-${scheme}-${width}.png` });
    await tab.context().close();
  });
});
