import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SallyportClient } from "@sallyport/client";
import { administrator, goTo, OpenConsole } from "./open-console.ts";

describe("the diagram of the model in the console", () => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded");
  }, 180_000);
  afterAll(() => opened.close());

  test("has all classes, is zoomed by buttons, reached by keyboard, and leads to a class", async () => {
    const client = new SallyportClient({ baseUrl: opened.server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    const page = await opened.logIn();
    await goTo(page, "Model");
    const view = page.getByRole("navigation", { name: "Views of the model" }).getByRole("link", { name: "Diagram" });
    await view.click();
    const diagram = page.getByRole("application", { name: "Diagram" });
    const { classes } = await client.getStructure();
    await client.logOut();
    for (const { name } of classes) await diagram.getByRole("link", { name, exact: true }).waitFor();
    expect(await diagram.getByRole("link").count()).toBe(classes.length);
    const place = page.locator(".react-flow__viewport");
    const isPlacedElsewhere = (style: string) =>
      page.locator(`.react-flow__viewport:not([style*="${style}"])`).waitFor();
    await isPlacedElsewhere("translate(0px, 0px)");
    for (const name of ["Zoom in", "Show the whole diagram", "Zoom out"]) {
      const before = await place.getAttribute("style");
      await page.getByRole("button", { name, exact: true }).click();
      await isPlacedElsewhere(String(before));
    }
    await diagram.getByRole("link", { name: "Invoice", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Invoice" }).waitFor();
    await view.click();
    await page.getByRole("link", { name: "Show it as a table" }).click();
    await page.getByRole("row", { name: /^Invoice .*Customer → Customer/ }).waitFor();
    await page.context().close();
    expect(opened.reports).toEqual([]);
  });

  test("is not part of the first load", () => {
    const folder = new URL("../../../console/dist/", import.meta.url).pathname;
    const chunk = readdirSync(join(folder, "assets")).find((name) => /^diagram-.*\.js$/.test(name));
    expect(readFileSync(join(folder, "assets", String(chunk)), "utf8")).toContain("react-flow__viewport");
    expect(readFileSync(join(folder, "index.html"), "utf8")).not.toContain(chunk);
  });
});
