import type { Page } from "playwright-core";
import { consoleTicket } from "../administration/administration-fixture.ts";
import { administrator, OpenConsole } from "./open-console.ts";

/** What a person can reach with Tab: of a group of radio buttons, the chosen one. */
const reachable = `[...document.querySelectorAll("a[href], button, input, select, textarea, [tabindex]")].filter((each) =>
  each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }) && each.closest("[inert]") === null &&
  (each.type !== "radio" || each.checked)
)`;

/** Walks with Tab from the start of the page until it is there again. Returns what it did not reach, or shows no focus on. */
async function walk(page: Page): Promise<readonly string[]> {
  await page.evaluate(`
    document.activeElement.blur();
    window.getSelection().removeAllRanges();
    document.body.focus();
    window.missed = new Set(${reachable});
    window.unmarked = [];
  `);
  const count = Number(await page.evaluate("window.missed.size"));
  for (let presses = 0; presses < count + 20; presses += 1) {
    await page.keyboard.press("Tab");
    const left = await page.evaluate(`{
      const at = document.activeElement;
      const { outlineStyle, boxShadow, borderTopColor } = getComputedStyle(at);
      const usual = getComputedStyle(document.documentElement).getPropertyValue("--input-bd-focus");
      const isMarked = outlineStyle !== "none" || boxShadow !== "none" || at.matches("input, textarea") || at.closest(":focus-within label, [role=radiogroup]") !== null;
      if (window.missed.delete(at) && !isMarked) window.unmarked.push(at);
      window.missed.size;
    }`);
    if (left === 0) break;
  }
  return (await page.evaluate(`[
    ...[...window.missed].filter((each) => each.isConnected).map((each) => "missed: " + each.outerHTML.slice(0, 200)),
    ...window.unmarked.map((each) => "no mark: " + each.outerHTML.slice(0, 200)),
  ]`)) as readonly string[];
}

/** Presses Tab until the focus is on what has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(`{
      const at = document.activeElement;
      (at.getAttribute("aria-label") ?? at.labels?.[0]?.innerText ?? at.innerText).trim();
    }`);
    if (String(focused).replace(/ \*$/, "") === name) return;
  }
  throw new Error(`Tab does not reach "${name}".`);
}

const pages = [
  "Recycle bin",
  "Users",
  "Second factors",
  "Groups",
  "Sessions",
  "App keys",
  "Devices",
  "Bans",
  "Customer",
];

describe("console by the keyboard alone", () => {
  let opened: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    page = await (await opened.context()).newPage();
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const press = (key: string) => page.keyboard.press(key);
  const type = (text: string) => page.keyboard.type(text);
  const go = async (name: string) => {
    await press("Control+k");
    const search = page.getByRole("textbox", { name: "Search or go to…" });
    await search.waitFor();
    await type(name);
    expect(await search.inputValue()).toBe(name);
    await page.getByRole("dialog").locator("[data-selected]").filter({ hasText: name }).waitFor();
    await press("Enter");
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };

  test("logs in, and skips to the content", async () => {
    await page.goto(`${opened.address}#ticket=${await consoleTicket(opened.server)}`);
    await page.getByText("no administration key is needed").waitFor();
    expect(await walk(page)).toEqual([]);
    await tabTo(page, "User name");
    await type(administrator.user);
    await tabTo(page, "Password");
    await type(administrator.password);
    await press("Enter");
    await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    await page.evaluate("document.activeElement.blur()");
    await tabTo(page, "Skip to the content");
    await press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
  });

  test("opens and leaves the palette, and the focus returns", async () => {
    await press("Control+k");
    await page.getByRole("textbox", { name: "Search or go to…" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator(":focus").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
  });

  test.each(pages)("reaches everything on the page %s, which shows where the focus is", async (name) => {
    await go(name);
    await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" });
    await page
      .getByRole("main")
      .getByRole(name === "Customer" ? "gridcell" : "table")
      .or(page.getByText(/^(There are no|No device)/))
      .first()
      .waitFor();
    expect(await walk(page)).toEqual([]);
  });

  test.each([
    ["Users", "Create user"],
    ["Groups", "Create group"],
    ["App keys", "Create app key"],
    ["Devices", "Register device"],
    ["Bans", "Ban"],
  ])("opens and leaves the dialog of %s, and the focus returns", async (name, button) => {
    await go(name);
    await page.evaluate("document.activeElement.blur()");
    await tabTo(page, button);
    await press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).waitFor();
    await tabTo(page, "Cancel");
    expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator("button:focus", { hasText: button }).waitFor();
  });

  test("finds, opens, changes and saves an object", async () => {
    await go("Customer");
    await page.getByRole("gridcell").first().waitFor();
    await page.evaluate("document.querySelector('[role=grid]').focus()");
    await press("ArrowDown");
    await press("Enter");
    const city = page.getByRole("textbox", { name: "City", exact: true });
    await city.waitFor();
    await tabTo(page, "City");
    await press("Control+a");
    await type("Salzburg");
    await tabTo(page, "Save changes");
    await press("Enter");
    await page.getByRole("status").filter({ hasText: "No changes" }).waitFor();
    expect(await city.inputValue()).toBe("Salzburg");
  });

  test("logs out by the menu of the account", async () => {
    await page.evaluate("document.activeElement.blur()");
    await tabTo(page, "Account");
    await press("Enter");
    await page.getByRole("menuitem", { name: "Log out" }).waitFor();
    await press("ArrowDown");
    await press("Enter");
    await page.getByRole("button", { name: "Log in" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
  });
});
