import { SallyportClient } from "@sallyport/client";
import type { Page } from "playwright-core";
import { AdministrationFixture } from "../../administration/administration-fixture.ts";
import { administrator, goTo, OpenConsole } from "../open-console.ts";

const markup = `<img src="x" onerror="document.title='broken'"><script>document.title='broken'</script>`;
const turned = "invoice\u202egpj.exe";
const shownTurned = "invoice[U+202E]gpj.exe";

describe("texts of the database in the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    const { admin } = await AdministrationFixture.open(opened.server);
    for (const name of [markup, turned]) {
      const { userId } = await admin.users.create({ name, password: "first password", description: name });
      await admin.groups.create({ name, description: name });
      await admin.appKeys.create({ name });
      await admin.bans.add({ userId, reason: name });
      await admin.devices.register({ deviceId: name, userId });
    }
    page = await opened.logIn();
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(async () => {
    expect(await page.title()).not.toContain("broken");
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    expect(opened.reports.splice(0)).toEqual([]);
  });

  test.each(["Users", "Groups", "App keys", "Bans", "Devices"])("are only texts on the page %s", async (name) => {
    await goTo(page, name);
    for (const text of [markup, shownTurned])
      await page.getByRole("table").getByText(text, { exact: true }).first().waitFor();
    expect(await page.getByText(turned, { exact: true }).count()).toBe(0);
  });

  test("are only texts on the page of a user, and in the question before its end", async () => {
    for (const [name, shown] of [
      [markup, markup],
      [turned, shownTurned],
    ] as const) {
      await goTo(page, "Users");
      await page.getByRole("link", { name: shown, exact: true }).click();
      await page.getByRole("heading", { level: 1, name: shown }).waitFor();
      expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe(name);
      await page.getByRole("button", { name: "Actions" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("heading", { name: `Delete ${shown}` }).waitFor();
      const confirm = dialog.getByRole("button", { name: "Delete" });
      expect(await confirm.isDisabled()).toBe(true);
      await dialog.getByRole("textbox").fill(shown);
      expect(await confirm.isDisabled()).toBe(false);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
    }
  });

  test.each([
    ["markup", markup, markup],
    ["a mark that turns the direction", turned, shownTurned],
    ["nearly 1 MiB", "long ".repeat(200_000), "long long long"],
  ])("are only texts in lists and forms of objects: %s", async (_what, text, shown) => {
    const { "~ObjectID": id } = await client.createObject("Customer", { Name: text.slice(0, 200), City: text });
    await page.goto(`${opened.address}#/classes/Customer?search=${id}`);
    await page.getByRole("grid").getByRole("gridcell").filter({ hasText: shown }).first().waitFor();
    await page.goto(`${opened.address}#/classes/Customer/${id}`);
    const city = page.getByRole("textbox", { name: "City", exact: true });
    await city.waitFor();
    expect(await city.inputValue()).toBe(text);
    await page.getByRole("heading", { level: 1 }).filter({ hasText: shown }).waitFor();
    await client.deleteObject(id);
  });

  test("that the server refuses are shown with a sign for each character", async () => {
    await goTo(page, "Groups");
    await page.getByRole("button", { name: "Create group" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("nul\0");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("alert").getByText("Code 307").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByRole("cell", { name: "nul" }).count()).toBe(0);
  });
});
