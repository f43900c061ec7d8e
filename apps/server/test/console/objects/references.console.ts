import { randomUUID } from "node:crypto";
import { type AttributeDefinition, SallyportClient } from "@sallyport/client";
import { until } from "@sallyport/test-kit/jest/until";
import type { Locator, Page } from "playwright-core";
import { accessibilityFaults, administrator, fillLogIn, goTo, OpenConsole, type TabOptions } from "../open-console.ts";

/** What leads to an object, and from where an object leads. */
describe("references in the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { DEBUG_MESSAGES: "true" });
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const newClass = async (attributes: readonly AttributeDefinition[], base: string | null = null) => {
    const name = `Class${randomUUID().replaceAll("-", "")}`;
    await client.putClass(name, { base, attributes: [...attributes], rights: [] });
    return name;
  };
  const create = async (className: string, attributes: object) =>
    (await client.createObject(className, attributes))["~ObjectID"];
  /** Opens an object in a browser that has seen no other classes. */
  const openObject = async (className: string, id: string, options: TabOptions = {}) => {
    const tab = await opened.logIn(options);
    await tab.goto(`${opened.address}#/classes/${className}/${id}`);
    await tab.getByRole("main").getByText(id, { exact: true }).first().waitFor();
    return tab;
  };

  describe("to an object", () => {
    const section = (tab: Page, name: string = "Referenced from") => tab.getByRole("region", { name, exact: true });
    const toggle = (tab: Page, name = "Referenced from") => section(tab, name).getByRole("button", { name });

    test("are asked for when the section opens, also those to base classes and in collections", async () => {
      const parent = await newClass([{ name: "Name", type: "string" }]);
      const child = await newClass([], parent);
      const holder = await newClass([
        { name: "Name", type: "string" },
        { name: "One", type: "reference", target: parent },
        { name: "Many", type: "collection", target: child },
      ]);
      const heir = await newClass([], holder);
      const id = await create(child, { Name: "target" });
      for (let number = 1; number <= 6; number += 1) await create(holder, { Name: `one ${number}`, One: id });
      const many = await create(heir, { Name: "many", Many: [id] });
      const page = await openObject(child, id);
      await page.getByRole("textbox", { name: "Name" }).waitFor();
      expect(opened.requests.filter((url) => url.includes(holder))).toEqual([]);
      await toggle(page).press("Enter");
      const one = page.getByRole("group", { name: `${holder}.One` });
      await one.getByRole("link", { name: "one 1" }).waitFor();
      expect(await one.getByRole("link", { name: /^one \d$/ }).count()).toBe(5);
      const link = page.getByRole("group", { name: `${holder}.Many` }).getByRole("link", { name: "many" });
      expect(await link.getAttribute("href")).toMatch(new RegExp(`#/classes/${heir}/${many}$`));
      expect(await page.getByRole("group", { name: new RegExp(`^${heir}`) }).count()).toBe(0);
      await one.getByRole("link", { name: `More in ${holder}.One` }).click();
      await page.getByRole("status").filter({ hasText: "6 objects" }).waitFor();
      await page.context().close();
    });

    test("can be none", async () => {
      const lonely = await newClass([{ name: "Name", type: "string" }]);
      const page = await openObject(lonely, await create(lonely, { Name: "alone" }));
      await toggle(page).click();
      await section(page).getByText("No object that you can read leads to this one.").waitFor();
      expect(await section(page).getByRole("link").count()).toBe(0);
      await page.context().close();
    });

    test("are asked for by four requests at a time, and a refusal stands at its attribute", async () => {
      const target = await newClass([{ name: "Name", type: "string" }]);
      const names = Array.from({ length: 9 }, (_each, index) => `Link${index}`);
      const holder = await newClass([
        { name: "Name", type: "string" },
        ...names.map((name) => ({ name, type: "reference", target }) as const),
      ]);
      const id = await create(target, { Name: "target" });
      await create(holder, { Name: "holder", ...Object.fromEntries(names.map((name) => [name, id])) });
      const page = await openObject(target, id);
      let [waiting, most] = [0, 0];
      let release: () => void = () => {};
      const areFour = new Promise<void>((resolve) => {
        release = resolve;
      });
      const lists = `**/objects/${holder}?**`;
      await page.route(lists, async (route) => {
        waiting += 1;
        most = Math.max(most, waiting);
        if (waiting === 4) release();
        await areFour;
        const isRefused = route.request().url().includes("Link3");
        const answer = isRefused ? { status: 404, body: "{}" } : { response: await route.fetch() };
        waiting -= 1;
        await route.fulfill(answer);
      });
      await toggle(page).click();
      await page
        .getByRole("group", { name: `${holder}.Link8` })
        .getByRole("link")
        .waitFor();
      await page
        .getByRole("group", { name: `${holder}.Link3` })
        .getByRole("alert")
        .waitFor();
      expect(most).toBe(4);
      await page.context().close();
    });

    test("show on a narrow, dark screen in German", async () => {
      const customer = await create("Customer", { Name: "Ada & Co" });
      await create("Invoice", { Number: "1", Customer: customer });
      const tab = await openObject("Customer", customer, { scheme: "dark", width: 390, locale: "de-DE" });
      await toggle(tab, "Verweise auf dieses Objekt").click();
      await tab.getByRole("group", { name: "Invoice.Customer" }).getByRole("link").first().waitFor();
      expect(await accessibilityFaults(tab)).toEqual([]);
      await tab.context().close();
    });
  });

  describe("from an object", () => {
    const named = (tab: Page, name: string) => tab.getByRole("dialog", { name });
    const press = (area: Page | Locator, name: string) => area.getByRole("button", { name, exact: true }).click();
    const field = (area: Page | Locator, name: string) => area.getByRole("textbox", { name, exact: true });
    const customers = (name: string) => client.countObjects("Customer", { query: { where: { Name: name } } });
    const openInvoice = async (options: TabOptions = {}) =>
      openObject("Invoice", await create("Invoice", { Number: `invoice ${randomUUID()}` }), options);

    test("can lead to a new one, which is created when its dialog is saved", async () => {
      const name = `customer ${randomUUID()}`;
      const tab = await openInvoice();
      await press(tab, "Create Customer… for Customer");
      const dialog = named(tab, "New object of Customer");
      await field(dialog, "City").fill("Graz");
      await press(dialog, "Create");
      await dialog.getByRole("alert").getByText("The attribute is mandatory.").waitFor();
      await field(dialog, "Name").fill(name);
      expect(await customers(name)).toBe(0);
      await press(dialog, "Create");
      await dialog.waitFor({ state: "detached" });
      expect(await customers(name)).toBe(1);
      const customer = tab.locator('[aria-label="Customer"][value]');
      await until(async () => (await customer.count()) === 1 && (await customer.inputValue()) === name);
      await tab.getByRole("status").filter({ hasText: "1 change" }).waitFor();
      const sent = tab.waitForRequest((request) => request.method() === "PATCH");
      await press(tab, "Save changes");
      const { "~Elements": found } = await client.listObjects("Customer", { query: { where: { Name: name } } });
      expect((await sent).postDataJSON()).toEqual({ Customer: found[0]?.["~ObjectID"] });
      await tab.getByRole("status").filter({ hasText: "No changes" }).waitFor();
      await tab.context().close();
    });

    test("asks once before what was typed is lost", async () => {
      const tab = await opened.logIn();
      await goTo(tab, "Invoice");
      await tab.getByRole("link", { name: "Create object" }).click();
      await field(tab, "Number").waitFor();
      const former = tab.url();
      const question = named(tab, "There are unsaved changes");
      const dialog = named(tab, "New object of Customer");
      await press(tab, "Create Customer… for Customer");
      await field(dialog, "Name").waitFor();
      await tab.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });

      await press(tab, "Create Customer… for Customer");
      await field(dialog, "Name").fill("typed");
      await tab.keyboard.press("Escape");
      await question.waitFor();
      await tab.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      expect(await field(dialog, "Name").inputValue()).toBe("typed");
      await press(dialog, "Close");
      await press(question, "Discard changes");
      await dialog.waitFor({ state: "detached" });

      await field(tab, "Number").fill("typed, too");
      await press(tab, "Create Customer… for Customer");
      expect(await field(dialog, "Name").inputValue()).toBe("");
      await field(dialog, "Name").fill("again");
      await tab.goBack();
      await press(question, "Keep editing");
      await question.waitFor({ state: "detached" });
      await tab.waitForURL(former);
      await tab.goBack();
      await press(question, "Discard changes");
      await tab.getByRole("heading", { level: 1, name: "Invoice", exact: true }).waitFor();
      expect(await tab.getByRole("dialog").count()).toBe(0);
      await tab.context().close();
    });

    test("can be members of a collection, on a narrow, dark screen in German", async () => {
      const target = await newClass([{ name: "Name", type: "string" }]);
      const holder = await newClass([{ name: "Many", type: "collection", target }]);
      const id = await create(holder, {});
      const tab = await openObject(holder, id, { scheme: "dark", width: 390, locale: "de-DE" });
      await tab.getByRole("button", { name: `${target} anlegen…` }).click();
      const dialog = named(tab, `Neues Objekt von ${target}`);
      await field(dialog, "Name").fill("member");
      expect(await accessibilityFaults(tab)).toEqual([]);
      // In a dialog, there is no further one.
      expect(await dialog.getByRole("button", { name: /anlegen…/ }).count()).toBe(0);
      await press(dialog, "Anlegen");
      await tab.getByRole("list", { name: "Many" }).getByText("member").waitFor();
      await press(tab, "Änderungen speichern");
      await tab.getByRole("status").filter({ hasText: "Keine Änderungen" }).waitFor();
      const { "~Count": count } = (await client.getObject(id))["Many"] as { readonly "~Count": number };
      expect(count).toBe(1);
      await tab.context().close();
    });

    test("can be typed as ids where the class cannot be read", async () => {
      const hidden = await newClass([{ name: "Name", type: "string" }]);
      const holder = `Class${randomUUID().replaceAll("-", "")}`;
      await client.putClass(holder, {
        base: null,
        attributes: [{ name: "Many", type: "collection", target: hidden }],
        rights: [{ group: "*", permissions: ["read", "create", "write"] }],
      });
      const tab = await (await opened.context()).newPage();
      await tab.goto(`${opened.address}#/classes/${holder}/new`);
      await tab.getByText("User", { exact: true }).click();
      await fillLogIn(tab, { user: "demo", password: "demo" });
      const adding = field(tab, "Add to Many");
      await adding.pressSequentially("1a");
      expect(await tab.getByRole("list", { name: "Many" }).count()).toBe(0);
      await adding.press("Enter");
      await tab.getByRole("list", { name: "Many" }).getByText("1A", { exact: true }).waitFor();
      await adding.fill("-");
      await tab.getByText("An id has digits and letters").waitFor();
      await tab.context().close();
    });
  });
});
