import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { setUpTicket } from "../administration/administration-fixture.ts";
import { startEmptyOn } from "../empty-databases.ts";
import { databaseOf, repositoriesOf } from "../repositories-of.ts";
import { accessibilityFaults, OpenConsole, type TabOptions } from "./open-console.ts";

const password = "a word of 'my \"own\\";

describe("set-up in the console", () => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await OpenConsole.onServers(await startEmptyOn("embedded", { aliases: ["plain", "wizard", "file"] }));
  }, 180_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const openTab = async (alias: string, fragment = "", options: TabOptions = {}): Promise<Page> => {
    const page = await (await opened.context(options)).newPage();
    await page.goto(`${opened.server.url}/${alias}/console/${fragment}`);
    return page;
  };
  /** Creates the first administrator by a link of the machine. */
  const setUp = async (alias: string, options: TabOptions = {}): Promise<Page> => {
    const page = await openTab(alias, `#set-up=${await setUpTicket(opened.server, alias)}`, options);
    await page.getByRole("textbox", { name: "User name" }).fill("ada");
    await page.getByLabel("Password", { exact: false }).first().fill(password);
    await page.getByLabel("Repeat the password").fill(password);
    await page.getByRole("button", { name: "Create administrator" }).click();
    await page.getByRole("heading", { level: 1, name: "First steps" }).waitFor();
    return page;
  };
  const createApp = async (page: Page, name: string): Promise<string> => {
    await page.getByRole("textbox", { name: "App name" }).fill(name);
    await page.getByRole("button", { name: "Create app key" }).click();
    const key = await page.getByLabel("App key", { exact: true }).textContent();
    await page.getByRole("button", { name: "I have stored it" }).click();
    return key ?? "";
  };

  test.each(["light", "dark"] as const)("without a link, the page says which command to run (%s)", async (scheme) => {
    const page = await openTab("plain", "", { scheme });
    await page.getByRole("heading", { name: "Set up plain" }).waitFor();
    await page.getByText("sallyport-server console-link --set-up --alias plain", { exact: true }).waitFor();
    expect(await page.locator("input, form").count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.context().close();
  });

  test("a wrong link and a mistyped password create nobody, and what was typed stays", async () => {
    const page = await openTab("plain", "#set-up=wrong");
    await page.getByRole("textbox", { name: "User name" }).fill("ada");
    await page.getByLabel("Password", { exact: false }).first().fill("a word of my own");
    await page.getByLabel("Repeat the password").fill("another word");
    await page.getByRole("button", { name: "Create administrator" }).click();
    await page.getByText("The two passwords differ.").waitFor();
    await page.getByLabel("Repeat the password").fill("a word of my own");
    await page.getByRole("button", { name: "Create administrator" }).click();
    await page.getByRole("alert").getByText("Code 302").waitFor();
    await page.getByRole("alert").getByText("console-link --set-up --alias plain").waitFor();
    expect(await page.getByRole("textbox", { name: "User name" }).inputValue()).toBe("ada");
    expect(await repositoriesOf(opened.server, "plain").accounts.list("database", null, 1)).toEqual([]);
    await page.context().close();
  });

  test("leads from the link to a request that works", async () => {
    const page = await setUp("wizard", { scheme: "dark" });
    expect(opened.requests.filter((url) => url.includes("set-up="))).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
    const key = await createApp(page, "o'ffice");
    await page.getByRole("radio", { name: "Companies and contacts" }).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Create classes" }).click();
    const command = (await page.getByLabel("Command", { exact: true }).textContent()) ?? "";
    expect(command).toContain(key);
    expect(command).not.toContain(password);
    expect(await accessibilityFaults(page)).toEqual([]);
    // This process serves it.
    const shell = spawn("bash", ["-c", command], { stdio: "pipe" });
    shell.stdin.end(`${password}\n`);
    expect(JSON.parse((await text(shell.stdout)).split("\n")[1] ?? "")).toMatchObject({
      status: { internalStatus: "0" },
      data: { sessionId: expect.any(String), user: { Name: "ada" } },
    });
    await page.getByRole("link", { name: "Open Company" }).click();
    await page.getByRole("heading", { level: 1, name: "Company" }).waitFor();
    await page.context().close();
  });

  test("takes a model file with references in a circle, and offers the first steps until there is an app key", async () => {
    const page = await setUp("file", { width: 390 });
    await page.goto(`${opened.server.url}/file/console/#/`);
    await page.getByRole("link", { name: "First steps" }).click();
    await createApp(page, "office");
    const classes = [
      { name: "Leaf", base: "Branch", attributes: [{ name: "Tree", type: "reference", target: "Tree" }] },
      { name: "Branch", attributes: [{ name: "Name", type: "string" }] },
      { name: "Tree", attributes: [{ name: "Top", type: "reference", target: "Leaf" }] },
    ];
    const buffer = Buffer.from(JSON.stringify({ classes }));
    await page.getByRole("radio", { name: "A model file" }).click();
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "model.json", mimeType: "application/json", buffer });
    await page.getByRole("button", { name: "Create classes" }).click();
    await page.getByLabel("Command", { exact: true }).waitFor();
    const { classes: stored } = await databaseOf(opened.server, "file").storage.repositories.model.load();
    const attributesOf = (name: string) =>
      stored.find((each) => each.name === name)?.attributes.map((each) => each.target ?? each.name);
    expect([attributesOf("Leaf"), attributesOf("Tree")]).toEqual([["Tree"], ["Leaf"]]);
    await page.getByRole("link", { name: "Open Leaf" }).click();
    await page.getByRole("heading", { level: 1, name: "Leaf" }).waitFor();
    await page.context().close();
  });
});
