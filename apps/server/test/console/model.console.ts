import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { SallyportClient } from "@sallyport/client";
import type { Page } from "playwright-core";
import { AdministrationFixture } from "../administration/administration-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { accessibilityFaults, administrator, goTo, OpenConsole } from "./open-console.ts";

describe("model in the console", () => {
  let opened: OpenConsole;
  let fixture: AdministrationFixture;
  let client: SallyportClient;
  let page: Page;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", { DEBUG_MESSAGES: "true" });
    fixture = await AdministrationFixture.open(opened.server);
    client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
  }, 180_000);
  afterAll(async () => {
    await client.logOut();
    await opened.close();
  });
  beforeEach(async () => {
    page = await opened.logIn();
    await goTo(page, "Model");
  });
  afterEach(async () => {
    await page.context().close();
    expect(opened.reports.splice(0)).toEqual([]);
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const dialog = () => page.getByRole("dialog");
  const inDialog = (name: string) => dialog().getByRole("button", { name, exact: true });
  const view = (name: string) =>
    page.getByRole("navigation", { name: "Views of the model" }).getByRole("link", { name });
  const right = (...parts: readonly string[]) => page.getByRole("checkbox", { name: parts.join(" · "), exact: true });
  const newName = () => `Class${randomUUID().replaceAll("-", "")}`;
  const structureOf = async (name: string) => (await client.getStructure()).classes.find((each) => each.name === name);
  const openClass = async (name: string) => {
    await page.getByRole("textbox", { name: "Find a class" }).last().fill(name);
    await page.getByRole("main").getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  const choose = async (field: string, option: string) => {
    await dialog().getByRole("combobox", { name: field }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const addAttribute = async (name: string, fill: () => Promise<unknown> = async () => {}) => {
    await button("Add attribute").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
    await fill();
    await inDialog("Add").click();
    await dialog().waitFor({ state: "detached" });
  };
  const apply = async () => {
    await button("Review changes").click();
    await inDialog("Apply changes").click();
    await page.getByText("The model was changed.").last().waitFor();
    await dialog().waitFor({ state: "detached" });
  };

  test("a class is created with attributes, a base and an index, changed, and deleted by its name", async () => {
    const name = newName();
    await button("Create class").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
    await choose("Base class", "Customer");
    await inDialog("Create").click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByRole("row", { name: /^Name Text · Mandatory · Indexed · from Customer/ }).waitFor();
    await addAttribute("Level", async () => {
      await choose("Type", "Number");
      await dialog().getByRole("checkbox", { name: "Indexed" }).check();
    });
    await addAttribute("Keeper", async () => {
      await choose("Type", "Reference");
      await choose("Target class", "Employee");
      await choose("When the target is deleted", "delete this object, too");
    });
    await page.getByRole("textbox", { name: "Title" }).fill("Keeper.Name1");
    await button("Review changes").click();
    await dialog().getByText("Rights: only administrators").waitFor();
    await dialog().getByRole("link", { name: "Give rights" }).click();
    await right("All users", "Read", name).waitFor();
    expect(await right("All users", "Read", "Invoice").count()).toBe(0);
    await page.goBack();
    await page.getByText("Rights: only administrators").waitFor();
    expect(await structureOf(name)).toBeUndefined();
    await apply();
    expect(await structureOf(name)).toMatchObject({ base: "Customer", title: "Keeper.Name1", rights: [] });
    expect((await structureOf(name))?.attributes.filter(({ inherited }) => !inherited)).toEqual([
      expect.objectContaining({ name: "Level", type: "number", indexed: true, mandatory: false }),
      expect.objectContaining({ name: "Keeper", type: "reference", target: "Employee", onDelete: "cascade" }),
    ]);
    await view("Classes").click();
    await page
      .getByRole("row", { name: new RegExp(`^${name} Customer 2 Keeper → Employee 4 ready Objects$`) })
      .waitFor();

    await openClass(name);
    await button("Level").click();
    await dialog().getByRole("checkbox", { name: "Indexed" }).uncheck();
    await inDialog("Apply to the form").click();
    await button("Remove Keeper").click();
    await page.getByRole("status").filter({ hasText: "2 changes" }).waitFor();
    await button("Undo Keeper").click();
    await page.getByRole("status").filter({ hasText: "1 change" }).waitFor();
    await apply();
    expect((await structureOf(name))?.attributes.filter(({ inherited }) => !inherited)).toEqual([
      expect.objectContaining({ name: "Level", indexed: false }),
      expect.objectContaining({ name: "Keeper" }),
    ]);

    await button("Delete").click();
    expect(await inDialog("Delete").isDisabled()).toBe(true);
    await dialog().getByRole("textbox").fill(name);
    await inDialog("Delete").click();
    await apply();
    expect(await structureOf(name)).toBeUndefined();
  });

  test("names that the server would refuse are said at the field", async () => {
    await button("Create class").click();
    const field = dialog().getByRole("textbox", { name: "Name" });
    for (const [name, fault] of [
      ["Customer", "This name is in use."],
      ["1A", "The name must be a letter"],
      ["ABC", "The name must be a letter"],
    ] as const) {
      await field.fill(name);
      await dialog().getByText(fault).waitFor();
      expect([name, await inDialog("Create").isDisabled()]).toEqual([name, true]);
    }
    await inDialog("Cancel").click();
  });

  test("a refused change shows the objects in the way as links, and what came before it stays changed", async () => {
    const name = newName();
    const { "~ObjectID": id } = await client.createObject("Customer", { Name: `Customer of ${name}`, City: "Graz" });
    await openClass("Customer");
    await button("Remove City").click();
    await view("Classes").click();
    await button("Create class").click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
    await inDialog("Create").click();
    await button("Review changes").click();
    await dialog().getByRole("row", { name: "City Text None" }).waitFor();
    await dialog().getByText("have a value of City, which would be lost").waitFor();
    const link = dialog().getByRole("link", { name: "Show them in Customer" });
    expect(decodeURIComponent((await link.getAttribute("href")) ?? "")).toContain('{"City":{"$ne":null}}');
    expect(await dialog().getByRole("listitem").getByRole("link").count()).toBe(5);
    await inDialog("Apply changes").click();
    const alert = dialog().getByRole("alert").filter({ hasText: "The change of Customer was refused" });
    await alert.getByText(/\d+ objects have a value of City\./).waitFor();
    expect(await structureOf(name)).toBeDefined();
    expect(await dialog().getByRole("heading", { level: 3 }).allInnerTexts()).toEqual(["Customer"]);
    await inDialog("Cancel").click();
    await button("Discard changes").click();
    expect((await structureOf("Customer"))?.attributes.map((each) => each.name)).toContain("City");
    await client.deleteObject(id);
    await client.removeClass(name);
  });

  test("a change of another person is not undone, and one that came first asks for another review", async () => {
    const name = newName();
    await client.putClass(name, { attributes: [{ name: "First", type: "string" }] });
    await goTo(page, "Groups");
    await goTo(page, "Model");
    await openClass(name);
    await addAttribute("Mine");
    await client.putClass(name, {
      attributes: [
        { name: "First", type: "string" },
        { name: "Theirs", type: "string" },
      ],
    });
    await button("Review changes").click();
    await inDialog("Apply changes").click();
    await dialog().getByRole("alert").getByText("Code 713").waitFor();
    await inDialog("Review again").click();
    await inDialog("Apply changes").click();
    await page.getByText("The model was changed.").last().waitFor();
    expect((await structureOf(name))?.attributes.map((each) => each.name)).toEqual(["First", "Theirs", "Mine"]);
    await client.removeClass(name);
  });

  test("every way out of the model asks while there are changes, and the way between its pages does not", async () => {
    await openClass("Customer");
    await button("Remove City").click();
    await view("Rights").click();
    await page.getByRole("heading", { level: 1, name: "Rights" }).waitFor();
    await page.getByRole("status").filter({ hasText: "1 change" }).waitFor();
    await page.getByRole("navigation", { name: "Navigation" }).getByRole("link", { name: "Groups" }).click();
    await dialog().getByText("There are unsaved changes").waitFor();
    await inDialog("Keep editing").click();
    await page.getByRole("navigation", { name: "Navigation" }).getByRole("link", { name: "Groups" }).click();
    await inDialog("Discard changes").click();
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    await goTo(page, "Model");
    expect(await button("Review changes").count()).toBe(0);
  });

  test("changes come back in another tab as a draft", async () => {
    const tab = await opened.logIn();
    tab.on("dialog", (question) => void question.accept());
    await goTo(tab, "Model");
    await tab.getByRole("main").getByRole("link", { name: "Invoice", exact: true }).click();
    await tab.getByRole("button", { name: "Remove Paid" }).click();
    await tab.getByRole("button", { name: "Review changes" }).waitFor();
    const other = await opened.logInIn(tab.context());
    await goTo(other, "Model");
    await other.getByText("You left changes without a save on").waitFor();
    await other.getByRole("button", { name: "Restore the draft" }).click();
    await other.getByRole("status").filter({ hasText: "1 change" }).waitFor();
    await other.getByRole("main").getByRole("link", { name: "Invoice", exact: true }).click();
    await other.getByRole("button", { name: "Undo Paid" }).waitFor();
    expect(await other.getByRole("button", { name: "Remove Paid" }).count()).toBe(0);
    await other.getByRole("button", { name: "Discard changes" }).click();
    await tab.context().close();
  });

  describe("model file", () => {
    const load = async (content: unknown) => {
      await button("Model file").click();
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("menuitem", { name: "Upload, and review the changes" }).click();
      const text = typeof content === "string" ? content : JSON.stringify(content);
      await (await chooser).setFiles({ name: "model.json", mimeType: "application/json", buffer: Buffer.from(text) });
    };

    test("is downloaded, and changes nothing when it is uploaded again", async () => {
      await button("Model file").click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: "With the rights of all groups" }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe("model.json");
      const text = readFileSync(await file.path(), "utf8");
      const { classes } = await client.getStructure();
      expect((JSON.parse(text) as { classes: { name: string }[] }).classes.map(({ name }) => name)).toEqual(
        classes.map(({ name }) => name),
      );
      await load(text);
      await page.getByText("The file changes nothing.").waitFor();
      expect(await button("Review changes").count()).toBe(0);
    });

    test("brings classes that refer to each other, and its difference is shown first", async () => {
      const [one, other] = [newName(), newName()];
      const linkTo = (target: string) => ({ name: "Next", type: "reference", target });
      await load({
        classes: [
          { name: one, base: null, attributes: [linkTo(other)] },
          { name: other, base: one, attributes: [{ name: "Back", type: "reference", target: one }] },
        ],
      });
      await dialog().getByRole("heading", { level: 3, name: one }).waitFor();
      await dialog()
        .getByRole("row", { name: `Next None Reference → ${other} · on deletion: clear the value` })
        .waitFor();
      expect(await structureOf(one)).toBeUndefined();
      await inDialog("Apply changes").click();
      await page.getByText("The model was changed.").last().waitFor();
      expect(await structureOf(one)).toMatchObject({ attributes: [{ name: "Next", target: other }] });
      expect(await structureOf(other)).toMatchObject({ base: one });
      const removed = await client.getStructure();
      expect(removed.classes.map(({ name }) => name)).toEqual(expect.arrayContaining(["Customer", "Invoice"]));
      await client.putClass(one, {});
      await client.removeClass(other);
      await client.removeClass(one);
    });

    test("that is none is refused with the place of its fault", async () => {
      await load({ classes: [{ name: "Ticket", attributes: [{ name: "Title" }] }] });
      await page.getByText("See the value at /classes/0/attributes/0/type.").waitFor();
      expect(await button("Review changes").count()).toBe(0);
    });
  });

  describe("rights", () => {
    const newGroup = async () => {
      const name = `group ${randomUUID()}`;
      const { groupId } = await fixture.admin.groups.create({ name });
      return { name, groupId };
    };
    // With few groups, all are shown without a choice.
    beforeAll(() => Promise.all(Array.from({ length: 7 }, newGroup)));
    const openRights = async (groupName: string) => {
      await view("Rights").click();
      await page.getByRole("combobox", { name: "Groups shown" }).fill(groupName);
      await page.getByRole("option", { name: groupName }).click();
      await page.keyboard.press("Escape");
      await page.getByRole("columnheader", { name: groupName }).waitFor();
      expect(page.url()).toContain("groups=");
      expect(await view("Rights").getAttribute("data-status")).toBe("active");
    };

    test("of several classes are changed in the matrix, and saved together after a proof", async () => {
      const { name, groupId } = await newGroup();
      await openRights(name);
      await right(name, "Read", "Customer").check();
      await right(name, "Write", "Customer").check();
      await right(name, "Read", "Invoice").check();
      await page.getByRole("status").filter({ hasText: "2 changes" }).waitFor();
      expect(await page.locator('td[data-changed="true"]').count()).toBe(3);
      await button("Review changes").click();
      await dialog()
        .getByRole("row", { name: `Rights of ${name} None Read, Write` })
        .waitFor();
      // The customer of an invoice can be read then, its file cannot.
      await dialog().getByText(`${name} cannot read File: Document is empty for them.`).waitFor();
      expect(await dialog().getByText("is empty for them").count()).toBe(1);
      await repositoriesOf(opened.server).records.remove("recentProof", { owner: `user:${fixture.adminId}` });
      await inDialog("Apply changes").click();
      const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
      await proof.locator('input[type="password"]').fill(administrator.password);
      await proof.getByRole("button", { name: "Confirm" }).click();
      await page.getByText("The model was changed.").last().waitFor();
      await fixture.admin.prove({ password: administrator.password });
      const rightsOf = async (className: string) =>
        (await structureOf(className))?.rights?.find(({ group }) => group === groupId)?.permissions;
      expect(await rightsOf("Customer")).toEqual(["read", "write"]);
      expect(await rightsOf("Invoice")).toEqual(["read"]);
      expect(await page.locator('td[data-changed="true"]').count()).toBe(0);
      await right(name, "Read", "Customer").uncheck();
      await right(name, "Write", "Customer").uncheck();
      await right(name, "Read", "Invoice").uncheck();
      await apply();
      expect(await rightsOf("Customer")).toBeUndefined();
    });

    test("on an attribute restrict it to administrators and groups", async () => {
      const { name, groupId } = await newGroup();
      await openRights(name);
      await button("Attributes of Customer").click();
      expect(await right(name, "Read", "Customer.City").isDisabled()).toBe(true);
      expect(await right("All users", "Read", "Customer.Name").isDisabled()).toBe(true);
      await right("All users", "Read", "Customer.City").uncheck();
      await right(name, "Read", "Customer.City").check();
      await button("Review changes").click();
      await dialog()
        .getByRole("row", { name: `City Text Text · read by ${name}` })
        .waitFor();
      await inDialog("Apply changes").click();
      await page.getByText("The model was changed.").last().waitFor();
      const readersOf = async () =>
        (await structureOf("Customer"))?.attributes.find((each) => each.name === "City")?.read;
      expect(await readersOf()).toEqual([groupId]);
      await right("All users", "Read", "Customer.City").check();
      await apply();
      expect(await readersOf()).toBeUndefined();
    });
  });

  test.each(["light", "dark"] as const)("is accessible in the %s scheme, on a narrow screen too", async (scheme) => {
    for (const width of [1_280, 390]) {
      const tab = await opened.logIn({ scheme, width });
      for (const [path, heading] of [
        ["/model", "Model"],
        ["/model/classes/Customer", "Customer"],
        ["/model/rights", "Rights"],
        ["/model/diagram", "Diagram"],
      ] as const) {
        await tab.goto(`${opened.address}#${path}`);
        await tab.getByRole("heading", { level: 1, name: heading }).waitFor();
        if (path === "/model/rights") await tab.getByRole("button", { name: "Attributes of Customer" }).click();
        if (path === "/model/diagram")
          await tab.getByRole("application").getByRole("link", { name: "Invoice" }).waitFor();
        expect([path, width, await accessibilityFaults(tab)]).toEqual([path, width, []]);
        expect([path, await tab.evaluate("document.body.scrollWidth <= document.documentElement.clientWidth")]).toEqual(
          [path, true],
        );
      }
      await tab.goto(`${opened.address}#/model/classes/Customer`);
      await tab.getByRole("button", { name: "Remove City" }).click();
      await tab.getByRole("button", { name: "Name", exact: true }).click();
      await tab.getByRole("dialog").waitFor();
      expect(["attribute", width, await accessibilityFaults(tab)]).toEqual(["attribute", width, []]);
      await tab.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await tab.getByRole("button", { name: "Review changes" }).click();
      await tab.getByText("Objects in the way").waitFor();
      expect(["review", width, await accessibilityFaults(tab)]).toEqual(["review", width, []]);
      await tab.context().close();
    }
  });

  test("is for administrators", async () => {
    const tab = await (await opened.context()).newPage();
    await tab.goto(opened.address);
    await tab.getByText("User", { exact: true }).click();
    await tab.getByLabel(/^User name/).fill("reader");
    await tab.getByLabel(/^Password/).fill("reader");
    await tab.getByRole("button", { name: "Log in" }).click();
    await tab.getByRole("heading", { name: "Welcome, reader" }).waitFor();
    expect(await tab.getByRole("link", { name: "Model", exact: true }).count()).toBe(0);
    await tab.goto(`${opened.address}#/model`);
    await tab.getByText("This page is for administrators.").waitFor();
    await tab.context().close();
  });
});
