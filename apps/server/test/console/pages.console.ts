import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { engines } from "../engines.ts";
import { accessibilityFaults, goTo, OpenConsole } from "./open-console.ts";

const pages = ["Recycle bin", "Model", "Users", "Second factors", "Groups", "Sessions", "App keys", "Devices", "Bans"];

/** Bytes that the first load may have, compressed. */
const budget = 350 * 1_024;

describe("pages of the console", () => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  test.each(["light", "dark"] as const)("are accessible in the %s scheme, with their dialogs", async (scheme) => {
    const page = await opened.logIn({ scheme });
    expect(await accessibilityFaults(page)).toEqual([]);
    for (const name of pages) {
      await goTo(page, name);
      await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" });
      expect([name, await accessibilityFaults(page)]).toEqual([name, []]);
      const create = page.getByRole("main").getByRole("button", { name: /^(Create|Register|Ban$)/ });
      if ((await create.count()) === 0) continue;
      await create.click();
      await page.getByRole("dialog").waitFor();
      expect([name, "dialog", await accessibilityFaults(page)]).toEqual([name, "dialog", []]);
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await goTo(page, "Invoice");
    await page.getByRole("gridcell", { name: "2025-00001", exact: true }).waitFor();
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("textbox", { name: "Query as JSON" }).waitFor();
    expect(["class", await accessibilityFaults(page)]).toEqual(["class", []]);
    await page.getByRole("gridcell", { name: "2025-00001", exact: true }).getByRole("link").click();
    await page.getByRole("textbox", { name: "Amount" }).waitFor();
    await page.getByRole("group", { name: "Paid" }).getByRole("button", { name: "Remove the value" }).click();
    await page.getByRole("button", { name: "Undo Paid" }).waitFor();
    expect(["form", await accessibilityFaults(page)]).toEqual(["form", []]);
    await page.context().close();
  });

  test("a narrow screen has the whole header, and nothing beside it", async () => {
    const page = await opened.logIn({ width: 390 });
    for (const address of ["#/", "#/classes/Invoice", "#/classes/Customer/new"]) {
      await page.goto(`${opened.address}${address}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const account = await page.getByRole("button", { name: "Account" }).boundingBox();
      const ends = [(account?.x ?? 0) + (account?.width ?? 0), await page.evaluate("document.body.scrollWidth")];
      const width = Number(await page.evaluate("document.documentElement.clientWidth"));
      expect([address, ends.filter((end) => Number(end) > width)]).toEqual([address, []]);
    }
    await page.context().close();
  });

  test("the side bar has the classes first, own ones before built-in ones, and shows the active entry", async () => {
    const page = await opened.logIn();
    const bar = page.getByRole("navigation");
    await bar.getByRole("link", { name: "Customer", exact: true }).waitFor();
    expect(await bar.getByRole("heading").allTextContents()).toEqual(["Classes", "Administration"]);
    const names = await bar.getByRole("link").allTextContents();
    const places = ["Customer", "Invoice", "User", "UserGroup", "Model"].map((name) => names.indexOf(name));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const second = await page.context().newPage();
    await second.goto(`${opened.address}#/maintenance`);
    await second.getByRole("heading", { level: 1, name: "Maintenance" }).waitFor();
    await second.waitForFunction(`{
      const { top, bottom } = document.querySelector("nav [data-active]").getBoundingClientRect();
      top > 0 && bottom <= innerHeight;
    }`);
    await page.context().close();
  });

  test("nothing of the page is in a style element, and the first load stays in its budget", async () => {
    const page = await opened.logIn();
    expect(await page.locator("style").count()).toBe(0);
    await page.context().close();
    const folder = new URL("../../../console/dist/", import.meta.url).pathname;
    const start = readFileSync(join(folder, "index.html"), "utf8");
    const assets = readdirSync(join(folder, "assets")).filter((name) => start.includes(name));
    const sizes = assets.map((name) => gzipSync(readFileSync(join(folder, "assets", name))).length);
    expect(assets.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(budget);
  });

  test("the palette opens with Ctrl+K, and leads to pages, classes, users and objects", async () => {
    const page = await opened.logIn();
    const find = async (text: string, name: RegExp) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("textbox", { name: "Search or go to…" }).fill(text);
      await page.getByRole("dialog").getByRole("button", { name }).first().click();
    };
    await find("sess", /^Sessions/);
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    await find("custom", /^Customer/);
    await page.getByRole("heading", { level: 1, name: "Customer" }).waitFor();
    await find("reader", /^reader/);
    await page.getByRole("heading", { level: 1, name: "reader" }).waitFor();
    expect(page.url()).toMatch(/#\/users\/[0-9A-Z]+$/);
    const userId = page.url().split("/").at(-1) ?? "";
    await find(userId.toLowerCase(), new RegExp(`User ${userId}$`));
    await page.waitForURL(`**#/classes/User/${userId}`);
    await page.getByRole("heading", { level: 1, name: "reader" }).waitFor();
    await page.context().close();
  });

  test("an app key is shown once", async () => {
    const page = await opened.logIn();
    await goTo(page, "App keys");
    await page.getByRole("button", { name: "Create app key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("till");
    await dialog.getByRole("button", { name: "Create" }).click();
    const key = await dialog.getByLabel("App key", { exact: true }).innerText();
    expect(key).toMatch(/^[\w-]{43}$/);
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("cell", { name: "till", exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole("button", { name: "Disable till" }).click();
    await dialog.getByRole("textbox").fill("till");
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Enable till" }).waitFor();
    await page.context().close();
  });

  test("a ban tells the sessions that it ends before it is made, and is removed", async () => {
    const page = await opened.logIn();
    await goTo(page, "Bans");
    await page.getByRole("main").getByRole("button", { name: "Ban", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Device id" }).fill("tablet 1");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("lost");
    await dialog.getByRole("button", { name: "Check" }).click();
    await dialog.getByText("0 sessions end at once.").waitFor();
    await dialog.getByRole("button", { name: "Ban", exact: true }).click();
    await page.getByRole("cell", { name: "tablet 1", exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove the ban of tablet 1" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("There are no bans.").waitFor();
    expect(await page.getByRole("cell", { name: "tablet 1", exact: true }).count()).toBe(0);
    await page.context().close();
  });

  test("a device is registered for a user, and removed", async () => {
    const page = await opened.logIn();
    await goTo(page, "Devices");
    await page.getByRole("button", { name: "Register device" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Device id" }).fill("till 7");
    await dialog.getByRole("combobox", { name: "User, or none for all" }).fill("demo");
    await page.getByRole("option", { name: "demo" }).click();
    await dialog.getByRole("button", { name: "Register device" }).click();
    await page.getByRole("row", { name: /till 7.*demo.*Registered/ }).waitFor();
    await page.getByRole("button", { name: "Remove till 7" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("No device has logged in yet.").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    await page.context().close();
  });

  test("a server that stops answering is said, with a button that tries again", async () => {
    const page = await opened.logIn();
    await page.route("**/admin/v1/groups**", (route) => route.abort("connectionrefused"));
    await page.getByRole("navigation").getByRole("link", { name: "Groups" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("The server cannot be reached.").waitFor();
    await page.unroute("**/admin/v1/groups**");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("cell", { name: "Sales" }).first().waitFor();
    expect(await alert.count()).toBe(0);
    await page.context().close();
  });
});

const others = engines.filter((engine) => engine !== "embedded" && engine !== "memory");
const named = others.filter((engine) => engine !== "Postgres" || (process.env["DATABASE_URL"] ?? "") !== "");

describe("console on other engines", () => {
  test.each(named.length === 0 ? ["embedded" as const] : named)(
    "shows users, groups and sessions on %s",
    async (engine) => {
      const opened = await OpenConsole.open(engine);
      const page = await opened.logIn();
      for (const [name, cell] of [
        ["Users", "Administers the database"],
        ["Groups", "Sales"],
        ["Sessions", "administration"],
      ] as const) {
        await goTo(page, name);
        await page.getByRole("cell", { name: cell }).first().waitFor();
      }
      expect(opened.reports).toEqual([]);
      await opened.close();
    },
  );
});
