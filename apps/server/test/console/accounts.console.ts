import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { AdministrationFixture } from "../administration/administration-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { administrator, fillLogIn, goTo, OpenConsole } from "./open-console.ts";

describe("accounts in the console", () => {
  let opened: OpenConsole;
  let fixture: AdministrationFixture;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    fixture = await AdministrationFixture.open(opened.server);
    page = await opened.logIn();
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const field = (name: string | RegExp) => page.getByRole("textbox", { name });
  const dialog = () => page.getByRole("dialog");
  const passwordField = () => dialog().locator('input[type="password"]');
  const newUser = async () => {
    const name = `user ${randomUUID()}`;
    const { userId } = await fixture.admin.users.create({ name, password: "first password", description: "before" });
    return { name, userId };
  };
  const openUser = async (name: string) => {
    await goTo(page, "Users");
    await field("Search by name").fill(name);
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  const act = async (name: string) => {
    await button("Actions").click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  };

  test("a user is created, found by the server's search, and changed by what was typed only", async () => {
    const name = `user ${randomUUID()}`;
    await goTo(page, "Users");
    await button("Create user").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
    await dialog().getByText("At least 8 characters.").waitFor();
    await passwordField().fill("short");
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().locator('input[type="password"][aria-invalid="true"]').waitFor();
    expect(await dialog().getByRole("alert").count()).toBe(0);
    await passwordField().fill("first password");
    await dialog().getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await openUser(name.toUpperCase().toLowerCase());
    expect(await button("Save changes").isDisabled()).toBe(true);
    await field("Description").fill("after");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await button("Save changes").click();
    expect((await sent).postDataJSON()).toEqual({ description: "after" });
    await page.getByText(`User ${name} was saved.`).waitFor();
    const { items } = await fixture.admin.users.list({ search: name });
    expect(items).toEqual([expect.objectContaining({ name, description: "after" })]);
  });

  test("another write is not overwritten, and what was typed stays", async () => {
    const { name, userId } = await newUser();
    await openUser(name);
    await field("Description").fill("typed");
    const current = await fixture.admin.users.get(userId);
    await fixture.admin.users.change(userId, { email: "other@example.com" }, { ifMatch: current });
    await button("Save changes").click();
    await page.getByRole("alert").getByText("Code 713").waitFor();
    await button("Load the current state").click();
    await page.locator('input[value="other@example.com"]').waitFor();
    expect(await field("Description").inputValue()).toBe("typed");
    await button("Save changes").click();
    await page.getByText(`User ${name} was saved.`).waitFor();
    expect(await fixture.admin.users.get(userId)).toMatchObject({ description: "typed", email: "other@example.com" });
  });

  test("every way out of a changed form asks", async () => {
    const { name } = await newUser();
    await openUser(name);
    await field("Description").fill("typed");
    await page.getByRole("navigation").getByRole("link", { name: "Groups" }).click();
    await dialog().getByText("There are unsaved changes").waitFor();
    await dialog().getByRole("button", { name: "Keep editing" }).click();
    expect(await field("Description").inputValue()).toBe("typed");
    await button("Discard changes").click();
    expect(await field("Description").inputValue()).toBe("before");
    await goTo(page, "Groups");
  });

  test("a user is disabled with its consequences said, and deleted with the name typed", async () => {
    const { name, userId } = await newUser();
    await openUser(name);
    await act("Disable");
    await dialog().getByText("all sessions of the user end").waitFor();
    await dialog().getByRole("button", { name: "Disable" }).click();
    await page.getByText("Disabled", { exact: true }).waitFor();
    expect((await fixture.admin.users.get(userId)).enabled).toBe(false);
    await act("Delete");
    const confirm = dialog().getByRole("button", { name: "Delete" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog().getByRole("textbox").fill(name);
    await confirm.click();
    await page.getByText(`User ${name} was deleted.`).waitFor();
    expect((await fixture.admin.users.list({ search: name })).items).toEqual([]);
  });

  test("a group is created, changed and deleted", async () => {
    const name = `group ${randomUUID()}`;
    await goTo(page, "Groups");
    await button("Create group").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
    await dialog().getByRole("button", { name: "Create" }).click();
    await page.getByText(`Group ${name} was saved.`).waitFor();
    await field("Search by name").fill(name);
    await button(name).click();
    await dialog().getByRole("textbox", { name: "Description" }).fill("text");
    await dialog().getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("cell", { name: "text", exact: true }).waitFor();
    await button(`Actions for ${name}`).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog().getByRole("textbox").fill(name);
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByText(`Group ${name} was deleted.`).waitFor();
    expect((await fixture.admin.groups.list({ search: name })).items).toEqual([]);
  });

  test("a proof is asked for in place, and the act goes on", async () => {
    const { name, userId } = await newUser();
    await openUser(name);
    await field("Description").fill("proved");
    // As time does.
    await repositoriesOf(opened.server).records.remove("recentProof", { owner: `user:${fixture.adminId}` });
    await button("Save changes").click();
    await dialog().getByText("Confirm that it is you").waitFor();
    await passwordField().fill(administrator.password);
    await dialog().getByRole("button", { name: "Confirm" }).click();
    await page.getByText(`User ${name} was saved.`).waitFor();
    expect((await fixture.admin.users.get(userId)).description).toBe("proved");
    // The session of the fixture has no proof either.
    await fixture.admin.prove({ password: administrator.password });
  });

  test("a lost session asks for a log-in in place, and nothing that was typed is lost", async () => {
    const { name, userId } = await newUser();
    await openUser(name);
    await field("Description").fill("typed before");
    await repositoriesOf(opened.server).sessions.end({ userId: fixture.adminId });
    await button("Save changes").click();
    await dialog().getByText("Your session has ended").waitFor();
    await passwordField().fill(administrator.password);
    await dialog().getByRole("button", { name: "Log in" }).click();
    await page.getByText(`User ${name} was saved.`).waitFor();
    await fixture.admin.logIn(administrator);
    expect((await fixture.admin.users.get(userId)).description).toBe("typed before");
  });

  test("one session, and all sessions of a user, end", async () => {
    const { name, userId } = await newUser();
    const other = await (await opened.context()).newPage();
    await other.goto(opened.address);
    await other.getByText("User", { exact: true }).click();
    await fillLogIn(other, { user: name, password: "first password" });
    await other.getByRole("heading", { name: `Welcome, ${name}` }).waitFor();
    await openUser(name);
    await page.getByRole("button", { name: `End the session of ${name}` }).click();
    await dialog().getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("There are no live sessions.").waitFor();
    expect((await fixture.admin.sessions.list({ user: userId })).items).toEqual([]);
    await act("End all sessions");
    await dialog().getByRole("button", { name: "End all sessions" }).click();
    await page.getByText("0 sessions ended.").waitFor();
    await other.context().close();
  });

  test("second factors of all owners are listed, and a lost one is removed", async () => {
    const { name, userId } = await newUser();
    const subjects = [`user:${userId}`, `link:${randomUUID()}`] as const;
    for (const subject of subjects) {
      const factor = { subject, appName: "office", sealedSecret: "", confirmed: true, lastStep: -1, recoveryCodes: [] };
      const { records } = repositoriesOf(opened.server);
      await records.put("secondFactor", `${subject} office`, factor, { owner: subject });
    }
    await goTo(page, "Second factors");
    await page.getByRole("row").filter({ hasText: name }).getByText("0 recovery codes left").waitFor();
    for (const [owner, subject] of [
      [name, subjects[0]],
      [subjects[1], subjects[1]],
    ] as const) {
      await button(`Remove: ${owner}, office`).click();
      await dialog().getByText("if the device is lost").waitFor();
      await dialog().getByRole("button", { name: "Remove" }).click();
      await page.getByRole("row").filter({ hasText: owner }).waitFor({ state: "detached" });
      const { items } = await fixture.admin.factors.list();
      expect(items.map((each) => each.subject)).not.toContain(subject);
    }
  });
});
