import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import type { Page } from "playwright-core";
import { accessibilityFaults, administrator, OpenConsole, type TabOptions } from "../open-console.ts";

/** Who can read an object. */
describe("readers in the console", () => {
  let opened: OpenConsole;
  let client: SallyportClient;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const idOf = async (className: string, where: object) => {
    const { "~Elements": found } = await client.listObjects(className, { query: { where: where as never } });
    return found[0]?.["~ObjectID"] ?? "";
  };
  const openReaders = async (options: TabOptions = {}, name = "Readers") => {
    const customer = `customer ${randomUUID()}`;
    const { "~ObjectID": id } = await client.createObject("Customer", { Name: customer });
    const tab = await opened.logIn(options);
    await tab.goto(`${opened.address}#/classes/Customer/${id}`);
    const section = tab.getByRole("region", { name, exact: true });
    await section.getByRole("button", { name }).press("Enter");
    await section.getByRole("checkbox").waitFor();
    return { id, tab, section };
  };
  const choose = async (tab: Page, field: string, name: string) => {
    await tab.getByRole("combobox", { name: field }).fill(name);
    await tab.getByRole("option", { name, exact: true }).click();
  };

  test("are users and groups that the server finds, and all again", async () => {
    const { id, tab, section } = await openReaders();
    expect(opened.requests.filter((url) => url.includes(`${id}/readers`)).length).toBe(1);
    await section.getByRole("checkbox").check();
    await section.getByRole("list", { name: "Readers" }).getByText("admin", { exact: true }).waitFor();
    await choose(tab, "Add a user", "demo");
    await section.getByRole("button", { name: "Remove demo" }).waitFor();
    await choose(tab, "Add a group", "Sales");
    await section.getByRole("button", { name: "Remove admin" }).click();
    expect((await client.getReaders(id)).readers).toBe(null);
    await section.getByRole("button", { name: "Save" }).click();
    await tab.getByText("The readers were saved.").waitFor();
    const expected = [await idOf("User", { Name: "demo" }), await idOf("UserGroup", { Name: "Sales" })];
    expect((await client.getReaders(id)).readers?.toSorted()).toEqual(expected.toSorted());
    // The form has the new version.
    await tab.getByRole("textbox", { name: "City", exact: true }).fill("Linz");
    await tab.getByRole("button", { name: "Save changes" }).first().click();
    await tab.getByText("The object was saved.").waitFor();
    await section.getByRole("checkbox").uncheck();
    await section.getByRole("button", { name: "Save" }).click();
    await tab.getByText("The readers were saved.").last().waitFor();
    await section.getByRole("list").waitFor({ state: "detached" });
    expect((await client.getReaders(id)).readers).toBe(null);
    await tab.context().close();
  });

  test("say at their control what the server refuses, and keep what was chosen", async () => {
    const { id, tab, section } = await openReaders({ scheme: "dark", width: 390, locale: "de-DE" }, "Leser");
    await section.getByRole("checkbox").check();
    await choose(tab, "Gruppe hinzufügen", "Sales");
    await section.getByRole("button", { name: "Sales entfernen" }).waitFor();
    expect(await accessibilityFaults(tab)).toEqual([]);
    await client.updateObject(id, { City: "Graz" });
    await section.getByRole("button", { name: "speichern" }).click();
    await section.getByRole("alert").getByText("713").waitFor();
    await section.getByRole("alert").getByRole("button").last().click();
    await section.getByRole("button", { name: "speichern" }).click();
    await tab.getByText("Die Leser wurden gespeichert.").waitFor();
    expect((await client.getReaders(id)).readers?.length).toBe(2);
    await tab.context().close();
  });

  test("that are not saved are asked for on the way out", async () => {
    const { tab, section } = await openReaders();
    await section.getByRole("checkbox").check();
    await tab.getByRole("navigation").getByRole("link", { name: "Groups", exact: true }).click();
    await tab.getByRole("dialog").getByRole("button", { name: "Keep editing" }).click();
    await tab.getByRole("dialog").waitFor({ state: "detached" });
    expect(await section.getByRole("checkbox").isChecked()).toBe(true);
    await section.getByRole("button", { name: "Discard changes" }).click();
    expect(await section.getByRole("checkbox").isChecked()).toBe(false);
    await tab.context().close();
  });
});
