import { NodeDigests } from "@sallyport/crypto";
import type { BrowserContext, Page } from "playwright-core";
import { AdministrationFixture } from "../administration/administration-fixture.ts";
import { fillLogIn, OpenConsole } from "./open-console.ts";

const digests = new NodeDigests();

/** What a tab says about its log-in. */
const said = {
  given: "Another tab of this browser took over your log-in.",
  taken: "This tab took over the log-in of another tab.",
  waiting: "You are logged in in another tab.",
};

/** A headless browser shows all of its tabs. */
const show = (page: Page, isVisible: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${isVisible ? "visible" : "hidden"}" });
    document.dispatchEvent(new Event("visibilitychange"));
  `);

describe("tabs of the console", () => {
  let opened: OpenConsole;
  let fixture: AdministrationFixture;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    fixture = await AdministrationFixture.open(opened.server);
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const openTab = async (context: BrowserContext, address = "#/"): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${opened.address}${address}`);
    return page;
  };
  const welcome = (page: Page) => page.getByRole("heading", { level: 1, name: "Welcome, " });
  const logInButton = (page: Page) => page.getByRole("button", { name: "Log in", exact: true });

  test("a new tab takes the log-in of a visible one, on the page of its address, and the person is told", async () => {
    const first = await opened.logIn();
    const before = opened.requests.length;
    const second = await openTab(first.context(), "#/groups");
    await second.getByRole("cell", { name: "Sales" }).first().waitFor();
    await second.getByText(said.taken).waitFor();
    await first.getByText(said.given).waitFor();
    expect(opened.requests.slice(before).filter((address) => /login|ticket|console\/session/.test(address))).toEqual(
      [],
    );
    expect(await second.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toMatch(
      /key|session/i,
    );
    await first.context().close();
  });

  test("a tab that the person does not see gives its log-in once it is seen", async () => {
    const first = await opened.logIn();
    await show(first, false);
    const second = await openTab(first.context());
    await second.getByText(said.waiting).waitFor();
    expect(await first.getByText(said.given).count()).toBe(0);
    await show(first, true);
    await welcome(second).waitFor();
    await first.getByText(said.given).waitFor();
    await first.context().close();
  });

  test("a tab gets the log-in once", async () => {
    const first = await opened.logIn();
    const asker = await openTab(first.context());
    await welcome(asker).waitFor();
    const kinds = await asker.evaluate(`new Promise((resolve) => {
      const channel = new BroadcastChannel("sallyport-console:" + location.origin);
      const kinds = [];
      channel.onmessage = ({ data }) => data.tab === "forged" ? kinds.push(data.kind) : data.kind === "shown" && resolve(kinds);
      for (let count = 0; count < 3; count += 1) channel.postMessage({ kind: "asks", tab: "forged" });
      setTimeout(() => new BroadcastChannel(channel.name).postMessage({ kind: "shown" }), 500);
    })`);
    // One of each tab that has the log-in.
    expect(kinds).toEqual(["gives", "gives"]);
    await first.context().close();
  });

  test("a user without administrator rights has one log-in in all tabs, too", async () => {
    const context = await opened.context();
    const first = await openTab(context);
    await first.getByText("User", { exact: true }).click();
    await fillLogIn(first, { user: "reader", password: "reader" });
    await welcome(first).waitFor();
    const second = await openTab(context, "#/classes/Customer");
    await second.getByRole("grid").getByRole("gridcell").first().waitFor();
    expect(await second.getByRole("navigation").getByRole("link", { name: "Sessions" }).count()).toBe(0);
    await context.close();
  });

  test("an ended session asks in all tabs, which go on after a log-in of their own", async () => {
    const first = await opened.logIn();
    const second = await openTab(first.context(), "#/groups");
    await second.getByRole("cell", { name: "Sales" }).first().waitFor();
    const sent = first.waitForRequest("**/admin/v1/groups**");
    await first.getByRole("navigation").getByRole("link", { name: "Groups" }).click();
    const sessionId = (await sent).headers()["sessionid"] ?? "";
    await first.getByRole("cell", { name: "Sales" }).first().waitFor();
    const { items } = await fixture.admin.sessions.list({ limit: 500 });
    const own = items.find(({ id }) => digests.sha256(sessionId).startsWith(id));
    await fixture.admin.sessions.end(own?.id as string);
    await first.getByRole("button", { name: "Refresh" }).click();
    for (const page of [first, second]) {
      const dialog = page.getByRole("dialog", { name: "Log in again" });
      await dialog.getByLabel(/^Password/).fill("admin");
      await dialog.getByRole("button", { name: "Log in" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("cell", { name: "Sales" }).first().waitFor();
      expect(await dialog.count()).toBe(0);
    }
    await first.context().close();
  });

  test("a log-out with unsaved changes asks first, and reaches all tabs", async () => {
    const first = await opened.logIn();
    const second = await openTab(first.context());
    await welcome(second).waitFor();
    await second.getByRole("navigation").getByRole("link", { name: "Users", exact: true }).click();
    await second.getByRole("link", { name: "reader", exact: true }).click();
    await second.getByRole("textbox", { name: "E-mail" }).fill("other@example.com");
    const logOut = async () => {
      await second.getByRole("button", { name: "Account" }).click();
      await second.getByRole("menuitem", { name: "Log out" }).click();
    };
    await logOut();
    const dialog = second.getByRole("dialog", { name: "There are unsaved changes" });
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await second.getByRole("textbox", { name: "E-mail" }).inputValue()).toBe("other@example.com");
    await logOut();
    await dialog.getByRole("button", { name: "Log out and erase them" }).click();
    for (const page of [first, second]) {
      await logInButton(page).waitFor();
      expect(await page.getByRole("navigation").count()).toBe(0);
    }
    await first.context().close();
  });
});
