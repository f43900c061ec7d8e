import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import type { BrowserContext, Page } from "playwright-core";
import { accessibilityFaults, administrator, fillLogIn, goTo, OpenConsole } from "../open-console.ts";

describe("objects in the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { DEBUG_MESSAGES: "true" });
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    page = await opened.logIn();
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const field = (name: string) => page.getByRole("textbox", { name, exact: true });
  const dialog = () => page.getByRole("dialog");
  const grid = () => page.getByRole("grid");
  const firstCell = (name: string) => grid().getByRole("row").nth(1).getByRole("gridcell", { name, exact: true });
  const status = (text: string) => page.getByRole("status").filter({ hasText: text });
  const newCustomer = async (attributes: object = {}) => {
    const name = `customer ${randomUUID()}`;
    const { "~ObjectID": id } = await client.createObject("Customer", { Name: name, City: "Graz", ...attributes });
    return { name, id };
  };
  const openObject = async ({ name, id }: { readonly name: string; readonly id: string }, tab = page) => {
    await tab.goto(`${opened.address}#/classes/Customer/${id}`);
    await tab.getByRole("heading", { level: 1, name }).waitFor();
    await tab.getByRole("textbox", { name: "City", exact: true }).waitFor();
  };

  describe("list", () => {
    test("is sorted by the server, by click and key, and Back restores the order", async () => {
      await goTo(page, "Invoice");
      await firstCell("2025-00001").waitFor();
      await grid().getByRole("columnheader", { name: "Number" }).click();
      await grid().getByRole("columnheader", { name: "Number" }).click();
      await firstCell("2026-01000").waitFor();
      expect(await grid().getByRole("columnheader", { name: "Number" }).getAttribute("aria-sort")).toBe("descending");
      await grid().focus();
      await page.keyboard.press("Enter");
      await firstCell("2025-00001").waitFor();
      await page.goBack();
      await firstCell("2026-01000").waitFor();
    });

    test("loads the rest by keys, counts its rows, and an object restores the place", async () => {
      await page.goto(`${opened.address}#/classes/Invoice?sort=Number`);
      await firstCell("2025-00001").waitFor();
      await status("1,000 objects").waitFor();
      await grid().focus();
      const last = grid().getByRole("gridcell", { name: "2026-01000", exact: true });
      while ((await last.count()) === 0) await page.keyboard.press("Control+End");
      await page.locator('[role="grid"][aria-rowcount="1001"]').waitFor();
      await page.waitForURL(/row=\d{3}/);
      await last.getByRole("link").click();
      await page.getByRole("heading", { level: 1, name: "2026-01000" }).waitFor();
      await page.goBack();
      await last.waitFor();
      expect(page.url()).toMatch(/sort=Number&row=\d{3}$/);
    });

    test("is filtered by what is built or written, and by the address", async () => {
      await page.goto(`${opened.address}#/classes/Customer?filter=${encodeURIComponent('{"City":"Gent"}')}`);
      await button("Filter: 1 condition").click();
      const json = page.getByRole("textbox", { name: "Query as JSON" });
      expect(JSON.parse(await json.inputValue())).toEqual({ where: { City: "Gent" } });
      await json.fill('{"where": {"$or": [{"City": "Graz"}, {"CreditLimit": {"$lt": 2000}}]}}');
      await page.getByRole("group", { name: "Any" }).waitFor();
      await button("Apply").click();
      await button("Filter: 2 conditions").waitFor();
      const { "~Count": expected } = await client.listObjects("Customer", {
        query: { where: { $or: [{ City: "Graz" }, { CreditLimit: { $lt: 2_000 } }] } },
      });
      await status(`${expected} objects`).waitFor();
    });

    test("says what has changed, and moves nothing", async () => {
      const { name, id } = await newCustomer();
      await page.goto(`${opened.address}#/classes/Customer?search=${encodeURIComponent(name)}`);
      await firstCell(name).waitFor();
      await client.updateObject(id, { City: "Linz" });
      await button("Refresh").click();
      await status("1 changed").waitFor();
      await firstCell("Linz").waitFor();
      expect(await grid().getByRole("row").count()).toBe(2);
    });
  });

  describe("form", () => {
    test("sends what was changed only, over the version that it shows", async () => {
      await openObject(await newCustomer({ CreditLimit: 1_000 }));
      expect(await button("Save changes").isDisabled()).toBe(true);
      await field("CreditLimit").fill("9007199254740993");
      await page.getByText("It would be rounded").waitFor();
      expect(await button("Save changes").isDisabled()).toBe(true);
      await field("CreditLimit").fill("2500.50");
      await page.getByRole("group", { name: "City" }).getByRole("button", { name: "Remove the value" }).click();
      const sent = page.waitForRequest((request) => request.method() === "PATCH");
      await button("Save changes").click();
      expect((await sent).postDataJSON()).toEqual({ CreditLimit: 2500.5, City: null });
      expect((await sent).headers()["if-match"]).toBe('"1"');
      await status("No changes").waitFor();
      expect(await button("Save changes").isDisabled()).toBe(true);
    });

    test("says at the field what the server refuses, and creates", async () => {
      await page.goto(`${opened.address}#/classes/Customer/new`);
      await field("City").fill("Graz");
      await button("Create").click();
      const name = page.getByRole("group", { name: "Name", exact: true });
      await name.getByRole("alert").filter({ hasText: "The attribute is mandatory." }).waitFor();
      await field("Name").fill("Ada & Co");
      await button("Create").click();
      await page.getByRole("heading", { level: 1, name: "Ada & Co" }).waitFor();
      expect(page.url()).toMatch(/\/Customer\/[0-9A-Z]+$/);
    });

    test("shows both versions after another write, member by member", async () => {
      const customer = await newCustomer({ Country: "Austria" });
      await openObject(customer);
      await field("City").fill("mine");
      await field("Country").fill("mine, too");
      await client.updateObject(customer.id, { City: "theirs", Email: "theirs@example.com" });
      await button("Save changes").click();
      await dialog().getByRole("cell", { name: "theirs", exact: true }).waitFor();
      await dialog().getByRole("radiogroup", { name: "Value of City" }).getByText("Stored").click();
      await dialog().getByRole("button", { name: "Continue with these values" }).click();
      await status("1 change").waitFor();
      expect(await field("City").inputValue()).toBe("theirs");
      await button("Save changes").click();
      await status("No changes").waitFor();
      expect(await client.getObject(customer.id)).toMatchObject({
        City: "theirs",
        Country: "mine, too",
        Email: "theirs@example.com",
      });
    });

    test("deletes an object whose name is typed", async () => {
      const customer = await newCustomer();
      await openObject(customer);
      await button("More actions").click();
      await page.getByRole("menuitem", { name: "Move to the recycle bin" }).click();
      const confirm = dialog().getByRole("button", { name: "Move to the recycle bin" });
      expect(await confirm.isDisabled()).toBe(true);
      await dialog().getByRole("textbox").fill(customer.name);
      await confirm.click();
      await page.getByRole("heading", { level: 1, name: "Customer" }).waitFor();
      const { "~Elements": recycled } = await client.listTrash();
      expect(recycled.map((each) => each["~ObjectID"])).toContain(customer.id);
    });
  });

  describe("draft", () => {
    const stay = "Keep editing";
    const city = (tab: Page) => tab.getByRole("textbox", { name: "City", exact: true });
    const draft = (tab: Page) => tab.getByRole("table", { name: "Draft" });
    const press = (tab: Page, name: string) => tab.getByRole("button", { name, exact: true }).click();
    const leaveByBack = async (tab: Page, answer: string) => {
      await tab.goBack();
      // The form has a button of the same name.
      await tab.getByRole("dialog").getByRole("button", { name: answer }).click();
      await tab.getByRole("dialog").waitFor({ state: "detached" });
    };
    /** A customer in a form whose city was typed at this moment, in a browser of its own. */
    const typedCity = async () => {
      const customer = await newCustomer();
      const tab = await opened.logIn();
      tab.on("dialog", (question) => void question.accept());
      await openObject(customer, tab);
      await city(tab).fill("typed");
      return { customer, tab };
    };
    const openInNewTab = async (context: BrowserContext, customer: { readonly name: string; readonly id: string }) => {
      const tab = await opened.logInIn(context);
      await openObject(customer, tab);
      return tab;
    };
    const expectNone = async (context: BrowserContext, customer: { readonly name: string; readonly id: string }) => {
      const tab = await openInNewTab(context, customer);
      // Once the field takes text, the form has looked for a draft.
      await city(tab).fill("other");
      expect(await draft(tab).count()).toBe(0);
      await context.close();
    };

    test.each<readonly [way: string, leave: (tab: Page) => Promise<unknown>]>([
      ["Back and a stay", (tab) => leaveByBack(tab, stay)],
      ["a tab in front of it", (tab) => tab.context().newPage()],
      ["a reload", (tab) => tab.reload()],
      ["the end of the tab", (tab) => tab.close()],
    ])("has what was typed right before %s", async (_way, leave) => {
      const { customer, tab } = await typedCity();
      const context = tab.context();
      await leave(tab);
      const other = await openInNewTab(context, customer);
      await draft(other).getByRole("row", { name: "City Graz typed" }).waitFor();
      expect(await city(other).isDisabled()).toBe(true);
      await press(other, "Restore the draft");
      expect(await city(other).inputValue()).toBe("typed");
      await press(other, "Save changes");
      await other.getByRole("status").filter({ hasText: "No changes" }).waitFor();
      expect(await client.getObject(customer.id)).toMatchObject({ City: "typed" });
      await expectNone(context, customer);
    });

    test.each<readonly [way: string, erase: (tab: Page) => Promise<unknown>]>([
      ["when its changes are discarded on the way out", (tab) => leaveByBack(tab, "Discard changes")],
      ["when its only change is undone", (tab) => press(tab, "Undo City")],
      ["when all changes are discarded", (tab) => press(tab, "Discard changes")],
      [
        "at the log-out",
        async (tab) => {
          await press(tab, "Account");
          await tab.getByRole("menuitem", { name: "Log out" }).click();
          await press(tab, "Log out and erase them");
          await tab.getByRole("button", { name: "Log in" }).waitFor();
        },
      ],
    ])("is erased %s", async (_way, erase) => {
      const { customer, tab } = await typedCity();
      await erase(tab);
      await expectNone(tab.context(), customer);
    });

    test("is erased when the person discards it, and by no form without edits", async () => {
      const { customer, tab } = await typedCity();
      const reader = await openInNewTab(tab.context(), customer);
      await draft(reader).waitFor();
      await reader.close();
      const other = await openInNewTab(tab.context(), customer);
      await press(other, "Discard the draft");
      expect(await city(other).inputValue()).toBe("Graz");
      await expectNone(tab.context(), customer);
    });
  });

  test("an object that the person can only read shows its values, with links, in both schemes", async () => {
    const className = `Class${randomUUID().replaceAll("-", "")}`;
    const [one, other] = [await newCustomer(), await newCustomer()];
    await client.putClass(className, {
      attributes: [
        { name: "Text", type: "string" },
        { name: "Amount", type: "number" },
        { name: "Open", type: "boolean" },
        { name: "Day", type: "date" },
        { name: "Details", type: "json" },
        { name: "Owner", type: "reference", target: "Customer" },
        { name: "Buyers", type: "collection", target: "Customer" },
      ],
      rights: [{ group: "*", permissions: ["read"] }],
    });
    const values = { Text: "two\nlines", Amount: 12.5, Open: true, Day: "2026-07-31", Details: { a: 1 } };
    const links = { Owner: one.id, Buyers: [one.id, other.id] };
    const { "~ObjectID": id } = await client.createObject(className, { ...values, ...links });
    for (const [scheme, width] of [
      ["light", 1_280],
      ["dark", 390],
    ] as const) {
      const tab = await (await opened.context({ scheme, width })).newPage();
      await tab.goto(`${opened.address}#/classes/${className}/${id}`);
      await tab.getByText("User", { exact: true }).click();
      await fillLogIn(tab, { user: "reader", password: "reader" });
      await tab.getByText("You can read this object, not change it.").waitFor();
      const shown = (name: string) => tab.getByRole("group", { name, exact: true });
      expect(await shown("Text").getByRole("textbox").inputValue()).toBe("two\nlines");
      await shown("Amount").getByText("12.5").waitFor();
      await shown("Open").getByText("Yes", { exact: true }).waitFor();
      await shown("Day").getByText("2026-07-31").waitFor();
      expect(await shown("Details").getByRole("textbox").inputValue()).toContain('"a": 1');
      expect(await shown("Buyers").getByRole("link").allTextContents()).toEqual([one.name, other.name]);
      expect(await tab.locator("form :disabled").count()).toBe(0);
      expect(await accessibilityFaults(tab)).toEqual([]);
      await shown("Owner").getByRole("link", { name: one.name }).click();
      await tab.getByRole("heading", { level: 1, name: one.name }).waitFor();
      await tab.context().close();
    }
    await client.deleteObject(id);
    await client.removeClass(className);
  });
});
