import { AdministrationFixture, administrationKey, consoleTicket } from "../administration/administration-fixture.ts";
import { accessibilityFaults, administrator, fillLogIn, goTo, logOut, OpenConsole } from "./open-console.ts";

describe("log-in to the console", () => {
  let opened: OpenConsole;
  let fixture: AdministrationFixture;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { CONSOLE_LABEL: "Production", CONSOLE_COLOR: "red" });
    fixture = await AdministrationFixture.open(opened.server);
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  test("a ticket leaves the address before the first request, and works without a key", async () => {
    const page = await (await opened.context()).newPage();
    const ticket = await consoleTicket(opened.server);
    await page.goto(`${opened.address}#ticket=${ticket}`);
    await page.getByText("no administration key is needed").waitFor();
    expect(new URL(page.url()).hash).toBe("#/");
    await fillLogIn(page, administrator);
    await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    expect(await page.title()).toBe("Production · Sallyport");
    expect(opened.requests.filter((address) => address.includes(ticket))).toEqual([]);
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toMatch(/key/i);
    await page.context().close();
  });

  test("a used ticket is refused, and a typed key works", async () => {
    const ticket = await consoleTicket(opened.server);
    const first = await (await opened.context()).newPage();
    await first.goto(`${opened.address}#ticket=${ticket}`);
    await first.getByText("no administration key is needed").waitFor();
    const page = await (await opened.context()).newPage();
    await page.goto(`${opened.address}#ticket=${ticket}`);
    await page.getByText("The ticket is no longer valid").waitFor();
    await page.getByLabel(/^Administration key/).fill(await administrationKey(opened.server));
    await fillLogIn(page, administrator);
    await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    const { items } = await fixture.admin.sessions.list();
    expect(items.filter(({ user }) => user === administrator.user).length).toBeGreaterThan(1);
    for (const tab of [first, page]) await tab.context().close();
  });

  test("a link that is opened in an open tab is used, after the log-out of the person if there is one", async () => {
    const page = await (await opened.context()).newPage();
    const open = async (ticket: string) => {
      await page.evaluate(`location.href = ${JSON.stringify(`${opened.address}#ticket=${ticket}`)}`);
      await page.waitForFunction('!location.href.includes("ticket=")');
    };
    await page.goto(`${opened.address}#ticket=used`);
    await page.getByText("The ticket is no longer valid").waitFor();
    await page.getByText("sallyport-server console-link", { exact: true }).waitFor();
    await page
      .getByLabel(/^Administration key/)
      .and(page.locator(":focus"))
      .waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await open(await consoleTicket(opened.server));
    await page.getByText("no administration key is needed").waitFor();
    expect(await page.getByText("The ticket is no longer valid").count()).toBe(0);
    await page
      .getByLabel(/^User name/)
      .and(page.locator(":focus"))
      .waitFor();
    await fillLogIn(page, administrator);
    await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    await goTo(page, "Groups");
    await open(await consoleTicket(opened.server));
    await page.getByText("You are logged in as admin. Log out to use this link.").waitFor();
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/groups");
    await logOut(page);
    await page.getByText("no administration key is needed").waitFor();
    await fillLogIn(page, administrator);
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    await open("used");
    await page.getByText("Log out to use this link").waitFor();
    await logOut(page);
    await page.getByText("The ticket is no longer valid").waitFor();
    await page.context().close();
  });

  test("a refusal shows the text, the code and the request id of the server, which can be copied", async () => {
    const context = await opened.context();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    await page.goto(`${opened.address}#ticket=${await consoleTicket(opened.server)}`);
    await fillLogIn(page, { ...administrator, password: "wrong" });
    const alert = page.getByRole("alert");
    await alert.getByText("User and password are invalid").waitFor();
    await alert.getByText("Code 302").waitFor();
    const id = await alert.locator("code").innerText();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await alert.getByRole("button", { name: "Copy the message" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain(id);
    await fillLogIn(page, administrator);
    await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    await context.close();
  });

  test("a user without administrator rights sees the own classes only", async () => {
    const page = await (await opened.context()).newPage();
    await page.goto(opened.address);
    await page.getByText("User", { exact: true }).click();
    await fillLogIn(page, { user: "reader", password: "reader" });
    await page.getByRole("heading", { name: "Welcome, reader" }).waitFor();
    const links = page.getByRole("navigation").getByRole("link");
    await links.filter({ hasText: "Customer" }).waitFor();
    expect(await links.allInnerTexts()).not.toContain("Sessions");
    await page.getByRole("main").getByRole("link", { name: "Customer" }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(`${opened.address}#/sessions`);
    await page.getByRole("heading", { name: "This page is for administrators." }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Go to the overview" }).click();
    await page.getByRole("heading", { name: "Welcome, reader" }).waitFor();
    await page.context().close();
  });

  test("a user who logs in on a page of the administrator before begins on the overview", async () => {
    const page = await opened.logIn();
    await goTo(page, "Users");
    await page.getByRole("link", { name: "reader", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "reader" }).waitFor();
    await logOut(page);
    await page.getByText("User", { exact: true }).click();
    await fillLogIn(page, { user: "reader", password: "reader" });
    await page.getByRole("heading", { name: "Welcome, reader" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/");
    await logOut(page);
    await page.getByRole("radio", { name: "User", checked: true }).waitFor({ state: "attached" });
    await page
      .getByLabel(/^User name/)
      .and(page.locator(":focus"))
      .waitFor();
    await page.context().close();
  });

  test("a log-out reaches all tabs", async () => {
    const first = await opened.logIn();
    const second = await first.context().newPage();
    await second.goto(`${opened.address}#ticket=${await consoleTicket(opened.server)}`);
    await fillLogIn(second, administrator);
    await second.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    await logOut(first);
    for (const page of [first, second]) {
      await page.getByRole("button", { name: "Log in" }).waitFor();
      expect(await page.getByRole("navigation").count()).toBe(0);
    }
    await first.context().close();
  });

  test("German, the color scheme and the browser's wish are followed", async () => {
    const page = await opened.logIn({ locale: "de-AT", scheme: "dark" });
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
    await page.getByRole("button", { name: "Farbschema" }).click();
    await page.getByRole("menuitem", { name: "Hell" }).click();
    await page.locator('html[data-mantine-color-scheme="light"]').waitFor();
    await page.getByRole("button", { name: "Sprache" }).click();
    await page.getByRole("menuitem", { name: "English" }).click();
    await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    await page.context().close();
  });
});
