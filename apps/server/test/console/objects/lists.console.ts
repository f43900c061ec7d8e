import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import type { Page } from "playwright-core";
import { accessibilityFaults, administrator, OpenConsole } from "../open-console.ts";

/** What a list asks for, and when. */
describe("lists of objects in the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    const rights = [{ group: "*", permissions: ["read", "create", "write"] }] as const;
    await client.putClass("Depot", {
      title: "City",
      attributes: [
        { name: "Code", type: "string" },
        { name: "City", type: "string" },
      ],
      rights,
    });
    await client.putClass("Parcel", {
      title: "Depot.City",
      attributes: [
        { name: "Weight", type: "number" },
        { name: "Depot", type: "reference", target: "Depot" },
      ],
      rights,
    });
    page = await opened.logIn();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const grid = () => page.getByRole("grid");
  const cell = (name: string | RegExp) => grid().getByRole("gridcell", { name });
  const status = (text: string) => page.getByRole("status").filter({ hasText: text });
  const dialog = () => page.getByRole("dialog");
  const show = (className: string, parameters: Readonly<Record<string, string>> = {}) =>
    page.goto(`${opened.address}#/classes/${className}?${new URLSearchParams(parameters)}`);
  const isCount = ({ pathname }: URL) => pathname.endsWith("/count");

  describe("count", () => {
    test("comes after the rows, which wait for none", async () => {
      let answer = () => {};
      const asked = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route(isCount, async (route) => {
        await asked;
        await route.continue();
      });
      const listed = page.waitForRequest((request) => /\/v1\/objects\/Invoice\?/.test(request.url()));
      await show("Invoice", { sort: "Number" });
      await cell("2025-00001").waitFor();
      expect(new URL((await listed).url()).searchParams.get("count")).toBe("none");
      expect(await status("objects").count()).toBe(0);
      answer();
      await status("1,000 objects").waitFor();
      await page.unroute(isCount);
    });

    test("is a lower bound if the server had no time for more", async () => {
      await page.route(isCount, (route) =>
        route.fulfill({
          json: { status: { internalStatus: "0", statusMessage: "ok" }, data: { count: 10_000, capped: true } },
        }),
      );
      await show("Invoice", { filter: '{"Paid":true}' });
      await status("objects").waitFor();
      expect(await status("objects").textContent()).toBe("10,000+ objects");
      await page.unroute(isCount);
    });

    test("is that of the rows if all of them are there, and is left out on request", async () => {
      const before = opened.requests.length;
      const counts = () => opened.requests.slice(before).filter((url) => isCount(new URL(url)));
      await show("Customer", { filter: '{"City":"Graz"}' });
      await status("9 objects").waitFor();
      expect(counts()).toEqual([]);
      await show("Invoice", { filter: '{"Paid":false}' });
      await status("objects").waitFor();
      expect(counts()).toHaveLength(1);
      await page.getByRole("button", { name: "Columns" }).click();
      await page.getByRole("switch", { name: "Count the objects" }).click();
      await status("objects").waitFor({ state: "detached" });
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await show("Invoice", { filter: '{"Amount":{"$gt":0}}' });
      await cell("2025-00001").waitFor();
      expect(counts()).toHaveLength(1);
    });
  });

  test("shows the beginning of a long text, and the whole of it on demand", async () => {
    const City = `${"long ".repeat(1_000)}end`;
    const Name = `customer ${randomUUID()}`;
    await client.createObject("Customer", { Name, City });
    const listed = page.waitForResponse((response) => /\/v1\/objects\/Customer\?/.test(response.url()));
    await show("Customer", { search: Name });
    await cell(/^long long .*…$/).waitFor();
    expect((await (await listed).body()).length).toBeLessThan(1_500);
    await cell(/^long long/).click();
    await page.keyboard.press("Space");
    await expect(dialog().getByRole("textbox").inputValue()).resolves.toBe(City);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await grid().focus();
    const whole = page.waitForResponse((response) => /oids/.test(decodeURIComponent(response.url())));
    await page.keyboard.press("Control+c");
    await whole;
    while ((await page.evaluate("navigator.clipboard.readText()")) !== City);
  });

  test("names objects by the title of their class, in lists, links and pickers", async () => {
    const { "~ObjectID": depot } = await client.createObject("Depot", { Code: "7", City: "Graz" });
    await client.createObject("Depot", { Code: "8", City: "Gent" });
    const parcel = await client.createObject("Parcel", { Weight: 3, Depot: depot });
    await show("Parcel", { search: "raz" });
    await grid().getByRole("columnheader", { name: "Title" }).waitFor();
    await cell("Graz").first().getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Graz" }).waitFor();
    expect(page.url()).toContain(`/Parcel/${parcel["~ObjectID"]}`);
    const picker = page.getByRole("combobox", { name: "Depot" });
    await page.locator('input[aria-label="Depot"][value="Graz"]').waitFor();
    await picker.fill("Ge");
    await page.getByRole("option", { name: "Gent" }).click();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("heading", { level: 1, name: "Gent" }).waitFor();
  });
});
