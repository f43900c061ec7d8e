import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { AdministrationFixture } from "../administration/administration-fixture.ts";
import { call } from "../client.ts";
import { accessibilityFaults, goTo, OpenConsole } from "./open-console.ts";

/** Access and operation of a database. */
describe("operation in the console", () => {
  let opened: OpenConsole;
  let fixture: AdministrationFixture;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { PUBLIC_URL: "https://api.example" });
    fixture = await AdministrationFixture.open(opened.server);
    page = await opened.logIn();
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const dialog = () => page.getByRole("dialog");
  const accept = (name: string) => dialog().getByRole("button", { name, exact: true }).click();
  /** Chooses an option of a field by its text. */
  const choose = async (label: string, option: string) => {
    await dialog().getByRole("combobox", { name: label }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const newUser = async () => {
    const name = `user ${randomUUID()}`;
    const { userId } = await fixture.admin.users.create({ name, password: "first password" });
    return { name, userId };
  };
  /** The code of a log-in of an application. */
  const logIn = async (name: string, deviceId: string, appNames = ["demo-app"]) => {
    const body = { user: name, pass: "first password", appNames, device: { deviceId } };
    return (await call(opened.server, "/v1/login", { method: "POST", body })).code;
  };

  test.each(["light", "dark"] as const)(
    "the pages are accessible in the %s scheme, with their dialogs",
    async (scheme) => {
      const tab = await opened.logIn({ scheme });
      const dialogs = new Map([
        ["Custom users", "Create custom user"],
        ["Apps and seats", "Create app name"],
        ["App rules", "Add rule"],
        ["Providers", "Edit"],
        ["Limits", null],
        ["Maintenance", "Begin maintenance"],
      ]);
      for (const [name, create] of dialogs) {
        await goTo(tab, name);
        await tab.getByLabel("Loading").waitFor({ state: "detached" });
        expect([name, await accessibilityFaults(tab)]).toEqual([name, []]);
        if (create === null) continue;
        await tab.getByRole("main").getByRole("button", { name: create }).first().click();
        await tab.getByRole("dialog").waitFor();
        expect([name, "dialog", await accessibilityFaults(tab)]).toEqual([name, "dialog", []]);
        await tab.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
        await tab.getByRole("dialog").waitFor({ state: "detached" });
      }
      await tab.context().close();
    },
  );

  test("maintenance begins with a message for users, after a question, and ends", async () => {
    await goTo(page, "Maintenance");
    await page.getByText("Clients are served").waitFor();
    await page.getByRole("textbox", { name: "Message for users" }).fill("New disks");
    await button("Begin maintenance").click();
    await accept("Begin maintenance");
    await button("End maintenance").waitFor();
    const refused = await call(opened.server, "/_CheckSession");
    expect([refused.code, JSON.stringify(refused.body)]).toEqual(["706", expect.stringContaining("New disks")]);
    await button("End maintenance").click();
    await page.getByText("Clients are served").waitFor();
    expect((await call(opened.server, "/_CheckSession")).code).not.toBe("706");
  });

  test("a limit is set for the database, and returns to the configuration", async () => {
    await goTo(page, "Limits");
    const field = page.getByRole("textbox", { name: "Sessions of a user", exact: true });
    await field.fill("7");
    await button("Save changes").click();
    await page.getByText("The limits were saved.").waitFor();
    const stored = async () =>
      (await fixture.admin.limits.get()).items.find(({ name }) => name === "sessions.perUserLimit");
    const { default: configured } = (await stored()) ?? {};
    expect(await stored()).toMatchObject({ value: 7, overridden: true });
    await button("Reset Sessions of a user").click();
    expect(await field.inputValue()).toBe(String(configured));
    await button("Save changes").click();
    await button("Reset Sessions of a user").waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ value: configured, overridden: false });
  });

  test("an app name is created with seats, which the list counts", async () => {
    const name = `app ${randomUUID()}`;
    await goTo(page, "Apps and seats");
    await button("Create app name").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
    await dialog().getByRole("textbox", { name: "Seats", exact: true }).fill("1");
    await accept("Create");
    await page.getByText(`App name ${name} was saved.`).waitFor();
    expect(await fixture.admin.apps.get(name)).toMatchObject({ seats: 1, seatKind: "concurrent" });
    const user = await newUser();
    expect(await logIn(user.name, "one", [name])).toBe("0");
    await page.getByRole("button", { name: "Refresh" }).click();
    const row = page.getByRole("row").filter({ hasText: name });
    await row.getByText("Full").waitFor();
    await row.getByRole("link", { name: "1 of 1 taken" }).click();
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    await page.getByRole("row").filter({ hasText: user.name }).waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
  });

  test("all sessions of a device end together", async () => {
    const [one, two] = [await newUser(), await newUser()];
    const device = randomUUID();
    for (const { name } of [one, two]) expect(await logIn(name, device)).toBe("0");
    expect(await logIn(one.name, "elsewhere")).toBe("0");
    await page.goto(`${opened.address}#/sessions?user=${one.userId}`);
    await page.getByRole("link", { name: device }).click();
    await page.getByRole("row").filter({ hasText: two.name }).waitFor();
    await button("End all sessions").click();
    await accept("End all sessions");
    await page.getByText("2 sessions ended.").waitFor();
    const left = await fixture.admin.sessions.list({ user: one.userId });
    expect(left.items.map(({ deviceId }) => deviceId)).toEqual(["elsewhere"]);
  });

  test("a rule about an app says which sessions end before it is saved", async () => {
    const { name, userId } = await newUser();
    expect(await logIn(name, "phone")).toBe("0");
    await goTo(page, "App rules");
    await button("Add rule").click();
    await choose("App name", "demo-app");
    await dialog().getByRole("combobox", { name: "User", exact: true }).fill(name);
    await page.getByRole("option", { name, exact: true }).click();
    await accept("Check");
    await dialog().getByText("1 session ends at once.").waitFor();
    await dialog().getByText(`${name} · phone`).waitFor();
    expect((await fixture.admin.sessions.list({ user: userId })).items).toHaveLength(1);
    await accept("Save rule");
    await page.getByText("1 session ended.").waitFor();
    expect(await logIn(name, "phone")).toBe("403");
    await page.getByRole("button", { name: `Remove the rule about demo-app for ${name}` }).click();
    await accept("Remove");
    await page.getByText("There are no app rules").waitFor();
    expect(await logIn(name, "phone")).toBe("0");
  });

  test("a provider shows the callback address to copy, and is registered without its secret coming back", async () => {
    await goTo(page, "Providers");
    const google = page.getByRole("region", { name: "google" });
    await google.getByText("https://api.example/v1/google/callback", { exact: true }).waitFor();
    // The demo has one.
    await google.getByRole("button", { name: "Remove" }).click();
    await dialog().getByRole("textbox").fill("google");
    await accept("Remove");
    await google.getByText("Not registered").waitFor();
    await google.getByText("https://api.example/v1/google/callback", { exact: true }).waitFor();
    await google.getByRole("button", { name: "Register" }).click();
    await dialog().getByRole("textbox", { name: "clientId" }).fill("sallyport.apps");
    await dialog().locator('input[type="password"]').fill("hush");
    await accept("Register");
    await google.getByText("Registered", { exact: true }).waitFor();
    expect(await fixture.admin.providers.get("google")).toMatchObject({ data: { clientId: "sallyport.apps" } });
    await google.getByRole("button", { name: "Edit" }).click();
    await dialog().getByRole("textbox", { name: "clientId" }).waitFor();
    expect(await dialog().locator('input[type="password"]').inputValue()).toBe("");
    await accept("Cancel");
  });

  test("a custom user is created for a user, changed and deleted", async () => {
    const user = await newUser();
    const name = `custom ${randomUUID()}`;
    await goTo(page, "Custom users");
    await button("Create custom user").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
    await dialog().locator('input[type="password"]').fill("a word of my own");
    await dialog().getByRole("combobox", { name: "Acts as" }).fill(user.name);
    await page.getByRole("option", { name: user.name, exact: true }).click();
    await accept("Create");
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByRole("textbox", { name: "E-mail" }).fill("ada@example.com");
    await button("Save changes").click();
    await page.getByText(`User ${name} was saved.`).waitFor();
    const { items } = await fixture.admin.customUsers.list({ limit: 500 });
    expect(items).toContainEqual(expect.objectContaining({ name, userId: user.userId, email: "ada@example.com" }));
    await button("Delete").click();
    await dialog().getByRole("textbox").fill(name);
    await accept("Delete");
    await page.getByText(`User ${name} was deleted.`).waitFor();
  });
});
