import type { Page, Route } from "playwright-core";
import { AdministrationFixture, administrationKey, consoleTicket } from "../administration/administration-fixture.ts";
import { accessibilityFaults, administrator, fillLogIn, goTo, OpenConsole } from "./open-console.ts";

/** A refusal as the server writes it. */
const refuse = (route: Route, status: number, code: string, statusMessage: string) =>
  route.fulfill({
    status,
    contentType: "application/json",
    headers: { "x-request-id": "00000000-0000-4000-8000-000000000000", "retry-after": "1" },
    body: JSON.stringify({ status: { internalStatus: code, statusMessage } }),
  });

describe("states of the server in the console", () => {
  let opened: OpenConsole;
  let fixture: AdministrationFixture;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { EXPLANATIONS_RETENTION: "1d" });
    fixture = await AdministrationFixture.open(opened.server);
  }, 180_000);
  afterAll(() => opened.close());
  // The tests break requests, and a file of a page.
  const expected = /Failed to load resource|reading 'DevicesPage'/;
  afterEach(() => expect(opened.reports.splice(0).filter((report) => !expected.test(report))).toEqual([]));

  const email = (page: Page) => page.getByRole("textbox", { name: "E-mail" });
  const openReader = async (page: Page) => {
    await goTo(page, "Users");
    await page.getByRole("link", { name: "reader", exact: true }).click();
    await email(page).waitFor();
  };

  test.each<readonly [what: string, title: string, answer: (route: Route) => Promise<void>]>([
    ["does not answer", "The server does not answer", (route) => route.abort("connectionrefused")],
    [
      "is behind a proxy that has lost it",
      "The server does not answer",
      (route) => route.fulfill({ status: 502, body: "Bad gateway" }),
    ],
    [
      "is overloaded",
      "The server is unavailable for now",
      (route) => refuse(route, 503, "706", "The server is currently unavailable"),
    ],
    [
      "has no connection to the database",
      "The database is overloaded",
      (route) => refuse(route, 503, "607", "Connection cannot be acquired, pool is overloaded"),
    ],
    ["gets too many requests", "there were too many", (route) => refuse(route, 429, "800", "Too many requests")],
  ])("a server that %s has a state, and what was typed stays", async (_what, title, answer) => {
    const page = await opened.logIn();
    await openReader(page);
    const address = `${Date.now()}@example.com`;
    await email(page).fill(address);
    const broken = /\/(?:admin\/v1|v1|_CheckSession|console\/config\.json)/;
    await page.route(broken, answer);
    await page.getByRole("button", { name: "Save changes" }).click();
    const state = page.getByRole("status").filter({ hasText: title });
    await state.waitFor();
    await page.getByRole("alert").getByRole("button", { name: "Copy the message" }).waitFor();
    expect(await email(page).inputValue()).toBe(address);
    await page.unroute(broken);
    await state.getByRole("button", { name: "Try now" }).click();
    await state.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("User reader was saved.").waitFor();
    await page.context().close();
  });

  test("maintenance shows its message, and pages load by themselves after its end", async () => {
    const page = await opened.logIn();
    const set = async (active: boolean) =>
      fixture.admin.maintenance.set(
        { active, message: active ? "Back at noon" : null, endsAt: null },
        { ifMatch: await fixture.admin.maintenance.get() },
      );
    await set(true);
    await page.getByRole("navigation").getByRole("link", { name: "Customer" }).click();
    const state = page.getByRole("status").filter({ hasText: "The server is unavailable for now" });
    await state.getByText("Back at noon").waitFor();
    await set(false);
    await page.getByRole("grid").getByRole("gridcell").first().waitFor();
    await state.waitFor({ state: "detached" });
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.context().close();
  });

  test("a slow answer is said", async () => {
    const page = await opened.logIn();
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/admin/v1/groups**", async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole("navigation").getByRole("link", { name: "Groups" }).click();
    const slow = page.getByRole("status").filter({ hasText: "The server is slow to answer." });
    await slow.waitFor();
    release?.();
    await page.getByRole("cell", { name: "Sales" }).first().waitFor();
    expect(await slow.count()).toBe(0);
    await page.context().close();
  });

  test("a console without a server says so, and starts by itself once there is one", async () => {
    const page = await (await opened.context()).newPage();
    await page.route("**/console/config.json", (route) => route.abort("connectionrefused"));
    await page.goto(opened.address);
    await page.getByRole("heading", { name: "The server does not answer" }).waitFor();
    await page.unroute("**/console/config.json");
    await page.getByRole("button", { name: "Log in" }).waitFor();
    expect(await page.getByRole("heading", { name: "The server does not answer" }).count()).toBe(0);
    await page.context().close();
  });

  test("after an update of the server, an open tab works on, and a reload keeps what was typed", async () => {
    const context = await opened.context();
    const page = await context.newPage();
    await page.route("**/assets/devices-page-*.js", (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto(`${opened.address}#ticket=${await consoleTicket(opened.server)}`);
    await fillLogIn(page, administrator);
    const updated = page.getByRole("status").filter({ hasText: "The server was updated" });
    await updated.waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Devices" }).click();
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
    await openReader(page);
    await email(page).fill("typed@example.com");
    page.on("dialog", (question) => void question.accept());
    await updated.getByRole("button", { name: "Reload the page" }).click();
    await page.getByLabel(/^Administration key/).fill(await administrationKey(opened.server));
    await fillLogIn(page, administrator);
    await page.getByRole("button", { name: "Restore the draft" }).click();
    expect(await email(page).inputValue()).toBe("typed@example.com");
    await context.close();
  });

  test.each(["light", "dark"] as const)("states and forms are accessible in the %s scheme", async (scheme) => {
    const page = await (await opened.context({ scheme })).newPage();
    await page.goto(`${opened.address}#ticket=${await consoleTicket(opened.server)}`);
    await page.getByText("no administration key is needed").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await fillLogIn(page, administrator);
    await openReader(page);
    await email(page).fill("typed@example.com");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    const dialog = page.getByRole("dialog", { name: "There are unsaved changes" });
    await dialog.waitFor();
    expect(["log-out", await accessibilityFaults(page)]).toEqual(["log-out", []]);
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.goto(`${opened.address}#/refusals/00000000-0000-4000-8000-000000000000`);
    await page.getByText("The server has no explanation of this request.").waitFor();
    expect(["explanation", await accessibilityFaults(page)]).toEqual(["explanation", []]);
    await page.route("**/admin/v1/groups**", (route) =>
      refuse(route, 503, "706", "The server is currently unavailable"),
    );
    await page.getByRole("navigation").getByRole("link", { name: "Groups" }).click();
    await page.getByRole("main").getByRole("alert").waitFor();
    expect(["unavailable", await accessibilityFaults(page)]).toEqual(["unavailable", []]);
    await page.context().close();
  });

  test("a refusal is explained in place and on a page of its own, which the palette finds", async () => {
    const page = await opened.logIn();
    await goTo(page, "Users");
    await page.getByRole("button", { name: "Create user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("reader");
    await dialog.getByLabel(/^Password/).fill("a long password");
    await dialog.getByRole("button", { name: "Create" }).click();
    const alert = dialog.getByRole("alert");
    const requestId = await alert.locator("code").innerText();
    await alert.getByRole("link", { name: "Why?" }).click();
    await alert.getByRole("list", { name: "What to do" }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Search or go to…" }).fill(requestId);
    await page.getByRole("dialog").getByRole("button", { name: "Why a request was refused" }).click();
    await page.getByRole("heading", { level: 1, name: "Why a request was refused" }).waitFor();
    await page.getByRole("main").getByRole("list", { name: "What to do" }).waitFor();
    expect(page.url()).toContain(`#/refusals/${requestId}`);
    await page.context().close();
  });
});
