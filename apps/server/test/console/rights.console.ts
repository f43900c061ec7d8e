import { randomUUID } from "node:crypto";
import type { SallyportError } from "@sallyport/client";
import type { AdministrationRights } from "@sallyport/contract";
import type { Page } from "playwright-core";
import { AdministrationFixture } from "../administration/administration-fixture.ts";
import { accessibilityFaults, goTo, OpenConsole } from "./open-console.ts";

/** The pages for administrators who view, with what each shows. */
const viewed = [
  "Users",
  "Custom users",
  "Groups",
  "Sessions",
  "Apps and seats",
  "App keys",
  "Devices",
  "Bans",
  "App rules",
  "Providers",
  "Limits",
  "Maintenance",
];

/** Names of controls that change something. */
const changing =
  /^(Actions|Allow|Ban|Begin|Change|Create|Delete|Disable|Discard|Enable|End|Forget|Lift|New|Register|Remove|Reset|Save|Set|Unban)/;

const password = "first password";

/** What the console offers to administrators by their rights. */
describe("rights of administrators in the console", () => {
  let opened: OpenConsole;
  let fixture: AdministrationFixture;
  beforeAll(async () => {
    opened = await OpenConsole.open("memory", { EXPLANATIONS_RETENTION: "1d" });
    fixture = await AdministrationFixture.open(opened.server);
    const { admin } = fixture;
    const { userId } = await admin.users.create({ name: "anna", password, groups: [] });
    await admin.groups.create({ name: "keepers" });
    await admin.customUsers.create({ name: "kim", password, userId });
    await admin.devices.register({ deviceId: "till", userId });
    await admin.bans.add({ deviceId: "lost" });
    await admin.apps.create({ name: "office" });
    await admin.appRules.set({ app: "office", access: "forbid", userId });
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const create = async (rights: AdministrationRights) => {
    const user = `person ${randomUUID()}`;
    const { userId } = await fixture.admin.users.create({ name: user, password, rights });
    return { user, password, userId };
  };
  const change = async (userId: string, rights: AdministrationRights) =>
    fixture.admin.users.change(userId, { rights }, { ifMatch: await fixture.admin.users.get(userId) });
  const controls = (page: Page) => page.getByRole("main").getByRole("button", { name: changing });
  const loaded = (page: Page) => page.getByLabel("Loading").waitFor({ state: "detached" });
  const sideLinks = async (page: Page) => page.getByRole("navigation").getByRole("link").allTextContents();

  test("the form of a user sets them", async () => {
    const page = await opened.logIn();
    await goTo(page, "Users");
    await page.getByRole("button", { name: "Create user" }).click();
    const dialog = page.getByRole("dialog");
    const created = `user ${randomUUID()}`;
    await dialog.getByRole("textbox", { name: "Name" }).fill(created);
    await dialog.locator('input[type="password"]').fill(password);
    await dialog.getByRole("combobox", { name: "Administration" }).click();
    await page.getByRole("option", { name: "Administrator, audit only" }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: created }).waitFor();
    const { items } = await fixture.admin.users.list({ search: created });
    expect(items).toMatchObject([{ rights: "audit" }]);
    const { userId, name } = await fixture.admin.users.create({ name: `user ${randomUUID()}`, password });
    await page.goto(`${opened.address}#/users/${userId}`);
    for (const [label, rights] of [
      ["Administrator, view only", "view"],
      ["Administrator, audit only", "audit"],
      ["No administrator", null],
      ["Administrator", "all"],
    ] as const) {
      await page.getByRole("combobox", { name: "Administration" }).click();
      await page.getByRole("option", { name: label, exact: true }).click();
      const answered = page.waitForResponse((response) => response.request().method() === "PATCH");
      await page.getByRole("button", { name: "Save changes" }).click();
      expect((await answered).request().postDataJSON()).toEqual(
        rights === null ? { administrator: false } : { rights },
      );
      await page.getByRole("button", { name: "Save changes", disabled: true }).waitFor();
      expect((await fixture.admin.users.get(userId)).rights).toBe(rights);
    }
    await goTo(page, "Users");
    await page.getByRole("row", { name }).getByText("Administrator", { exact: true }).waitFor();
    await page.context().close();
  });

  test.each([
    ["light", 1_280],
    ["dark", 390],
  ] as const)("who views sees all pages, without a control that changes, %s, %i px", async (scheme, width) => {
    const { user } = await create("view");
    const page = await opened.logIn({ scheme }, { user, password });
    expect((await sideLinks(page)).filter((name) => [...viewed, "Model"].includes(name))).toEqual(viewed);
    for (const name of viewed) {
      await page.setViewportSize({ width: 1_280, height: 900 });
      await goTo(page, name);
      await loaded(page);
      await page.setViewportSize({ width, height: 900 });
      expect([name, await controls(page).allTextContents()]).toEqual([name, []]);
      expect([name, await page.getByRole("main").getByRole("alert").count()]).toEqual([name, 0]);
      expect([name, await accessibilityFaults(page)]).toEqual([name, []]);
    }
    const { items } = await fixture.admin.users.list({ search: "anna" });
    const [custom] = (await fixture.admin.customUsers.list()).items;
    for (const address of [`users/${items[0]?.userId}`, `custom-users/${custom?.customUserId}`]) {
      await page.goto(`${opened.address}#/${address}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await loaded(page);
      expect([address, await controls(page).allTextContents()]).toEqual([address, []]);
      expect([address, await page.getByRole("main").getByRole("textbox").count()]).toEqual([address, 0]);
      expect([address, await accessibilityFaults(page)]).toEqual([address, []]);
    }
    for (const address of ["model", "first-steps"]) {
      await page.goto(`${opened.address}#/${address}`);
      await page.getByText("This page is for administrators.").waitFor();
    }
    await page.context().close();
  });

  test("a few groups all have columns in the matrix, without a choice", async () => {
    const page = await opened.logIn();
    await page.goto(`${opened.address}#/model/rights`);
    await page.getByRole("columnheader", { name: "keepers" }).waitFor();
    expect(await page.getByRole("combobox", { name: "Groups shown" }).count()).toBe(1);
    await page.context().close();
  });

  test("what is offered follows the present rights", async () => {
    const { user, userId } = await create("all");
    const page = await opened.logIn({}, { user, password });
    await goTo(page, "Groups");
    await page.getByRole("button", { name: "Create group" }).waitFor();
    await change(userId, "view");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill(`group ${randomUUID()}`);
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Create group" }).waitFor({ state: "detached" });
    expect(await sideLinks(page)).not.toContain("Model");
    await change(userId, "all");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole("button", { name: "Create group" }).waitFor();
    await page.context().close();
  });

  test("who reads the audit is offered no other page, and reads why requests were refused", async () => {
    const { user } = await create("audit");
    const page = await opened.logIn({}, { user, password });
    expect((await sideLinks(page)).filter((name) => [...viewed, "Model"].includes(name))).toEqual([]);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByText("Administrator, audit only").waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`${opened.address}#/app-keys`);
    await page.getByText("This page is for administrators.").waitFor();
    const refusal: unknown = await fixture.admin.users
      .create({ name: user, password })
      .catch((error: unknown) => error);
    await page.goto(`${opened.address}#/refusals/${(refusal as SallyportError).requestId}`);
    await page.getByRole("list", { name: "What to do" }).waitFor();
    await page.context().close();
  });
});
