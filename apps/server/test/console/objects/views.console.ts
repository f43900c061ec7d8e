import { SallyportClient } from "@sallyport/client";
import type { Page } from "playwright-core";
import { accessibilityFaults, OpenConsole } from "../open-console.ts";

/** Saved views of a class. */
describe("views in the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", user: "demo", password: "demo", appNames: ["demo-app"] });
    page = await opened.logIn();
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const path = { className: "Customer" };
  const stored = async () => (await client.call("GET /v1/views/{className}", { path })).items;
  const menu = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const item = (name: string | RegExp) => page.getByRole("menuitem", { name });
  const status = (text: string) => page.getByRole("status").filter({ hasText: text });
  const dialog = () => page.getByRole("dialog");

  test("are saved, opened by a link, shared, renamed and deleted", async () => {
    await page.goto(`${opened.address}#/classes/Customer?filter=${encodeURIComponent('{"City":"Graz"}')}&sort=-Name`);
    await status("9 objects").waitFor();
    await menu("Views");
    await item("Save as a new view").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill("In Graz");
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "In Graz", exact: true }).waitFor();
    expect(await stored()).toEqual([]);

    await menu("In Graz");
    await item("Rename or share").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill("Graz");
    await dialog()
      .getByRole("checkbox", { name: /^Share/ })
      .check();
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Graz", exact: true }).waitFor();
    const [view] = await stored();
    expect(view).toMatchObject({ name: "Graz", isOwn: false, where: { City: "Graz" }, sort: ["-Name"] });

    await page.goto(`${opened.address}#/classes/Invoice`);
    await page.goto(`${opened.address}#/classes/Customer?open=${view?.id}`);
    await status("9 objects").waitFor();
    expect(decodeURIComponent(page.url())).toContain('filter={"City":"Graz"}');
    await menu("Graz");
    await item("Delete this view").click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Views", exact: true }).waitFor();
    expect(await stored()).toEqual([]);
  });

  test("of others leave out what the class no longer has", async () => {
    await client.call("POST /v1/views/{className}", {
      path,
      body: {
        name: "Old",
        isShared: true,
        columns: ["Name", "Gone"],
        where: { $or: [{ Gone: 1 }, { City: "Graz" }] },
        sort: ["Former"],
      },
    });
    await page.context().close();
    page = await opened.logIn();
    await page.goto(`${opened.address}#/classes/Customer`);
    await menu("Views");
    await item("Old").click();
    await status("The class no longer has").waitFor();
    await status("9 objects").waitFor();
    expect(await page.getByRole("grid").getByRole("columnheader").count()).toBe(1);
    await menu("Old");
    expect(await item("Save this view").count()).toBe(0);
    await item("Save as a new view").waitFor();
    await page.keyboard.press("Escape");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(`${opened.address}#/classes/Customer?open=none`);
    await page.getByRole("alert").filter({ hasText: "There is no such view" }).waitFor();
  });
});
