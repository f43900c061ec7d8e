import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import type { Page } from "playwright-core";
import { accessibilityFaults, administrator, OpenConsole } from "../open-console.ts";

/** Locks of objects on their pages. */
describe("locks in the console", () => {
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

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const held = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text });

  test("shows who holds a lock, passes it to an administrator, and tells the holder", async () => {
    const name = `customer ${randomUUID()}`;
    const { "~ObjectID": id } = await client.createObject("Customer", { Name: name, City: "Graz" });
    const pages = [await opened.logIn(), await opened.logIn({ width: 390 })] as const;
    for (const page of pages) {
      await page.goto(`${opened.address}#/classes/Customer/${id}`);
      await button(page, "Lock").waitFor();
    }
    const [holder, other] = pages;
    await button(holder, "Lock").click();
    await held(holder, "You have locked this object since").waitFor();
    expect(await client.getLock(id)).toMatchObject({ isLocked: true, isOwn: false });

    // The other page looks by itself.
    await held(other, "Locked by admin since").waitFor();
    expect(await accessibilityFaults(other)).toEqual([]);
    await button(other, "Take over the lock").click();
    await other.getByRole("dialog").getByText("can no longer save").waitFor();
    await other.getByRole("dialog").getByRole("button", { name: "Take over the lock" }).click();
    await held(other, "You have locked this object since").waitFor();

    const lost = holder.getByRole("alert").filter({ hasText: "Your lock has ended" });
    await lost.waitFor();
    expect(await accessibilityFaults(holder)).toEqual([]);
    await holder.getByRole("textbox", { name: "City", exact: true }).fill("Linz");
    await button(holder, "Save changes").click();
    await holder.getByRole("alert").filter({ hasText: "713" }).waitFor();
    expect(await client.getObject(id)).toMatchObject({ City: "Graz" });

    await button(other, "Release the lock").click();
    await button(other, "Lock").waitFor();
    await lost.getByRole("button", { name: "Close" }).click();
    await button(holder, "Save changes").click();
    await holder.getByRole("status").filter({ hasText: "No changes" }).waitFor();
    expect(await client.getObject(id)).toMatchObject({ City: "Linz" });
  });
});
