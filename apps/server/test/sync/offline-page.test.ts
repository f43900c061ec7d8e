import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SallyportClient } from "@sallyport/client";
import { administrationOf, type Database, putSyncSchema } from "@sallyport/core";
import { loadConfiguration, startServer } from "../../src/index.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { type BrowserTab, chromium, HeadlessBrowser } from "../pages/headless-browser.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";
import { onEngines } from "../engines.ts";
import { deviceEnvironment } from "./devices.ts";

/** The offline pages of the guide and of the demo, in a browser. */
onEngines(
  "offline pages",
  (server) => {
    if (chromium === undefined)
      test("offline pages require Chromium, which this machine lacks", () => expect(chromium).toBeUndefined());
    else {
      test("the sample page works while the server is stopped, and sends the changes afterwards", samplePage, 120_000);

      test("the page of the guide works without a network", async () => {
        const guide = readFileSync(new URL("../../../../docs/guides/offline.md", import.meta.url), "utf8");
        const [, page = ""] = /^```html\n(.*?)^```/ms.exec(guide) ?? [];
        expect(page.split("\n").length).toBeLessThanOrEqual(80);
        const pages = createServer(({ url = "/" }, response) => {
          const isModule = url.startsWith("/modules/client/");
          response.setHeader("content-type", isModule ? "text/javascript" : "text/html; charset=utf-8");
          response.end(
            isModule
              ? readFileSync(new URL(`../../../../packages/client/dist/package/${url.slice(16)}`, import.meta.url))
              : page,
          );
        }).listen(0, "127.0.0.1");
        await once(pages, "listening");
        const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
        const digest = createHash("sha256").update("key of the page").digest("hex");
        const database = server().databases.get("") as Database;
        await database.storage.repositories.appKeys.create(
          { name: "offline", appNames: ["demo-app"], origins: [origin] },
          digest,
        );
        await putSyncSchema(administrationOf(database), { name: "sales", classes: [{ className: "Customer" }] });
        const browser = new HeadlessBrowser(chromium as string);
        try {
          const tab = await browser.open();
          await tab.go(origin);
          const status = await tab.evaluate(synchronizeInPage({ server: server().url, password: "demo" }));
          expect(status).toMatch(/^0 sent, 200 received$/);
          await tab.evaluate(`(async () => {
          window.fetch = () => Promise.reject(new TypeError("offline"));
          window.prompt = () => "Offline";
          document.querySelector("#add").click();
          const city = document.querySelector("li input");
          city.value = "Nowhere";
          city.onchange();
        })()`);
          await expect(tab.evaluate(pendingInPage(2))).resolves.toBe(2);
          await tab.go(origin);
          await expect(tab.evaluate(pendingInPage(2))).resolves.toBe(2);
          await expect(tab.evaluate(synchronizeInPage({ server: server().url, password: "demo" }))).resolves.toMatch(
            /^2 sent/,
          );
          await expect(tab.evaluate(pendingInPage(0))).resolves.toBe(0);
          const client = new SallyportClient({ baseUrl: server().url, appKey: "demo-app-key" });
          await client.logIn({ mode: "session", user: "demo", password: "demo", appNames: ["demo-app"] });
          await expect(client.countObjects("Customer", { query: { where: { City: "Nowhere" } } })).resolves.toBe(1);
          await expect(client.countObjects("Customer", { query: { where: { Name: "Offline" } } })).resolves.toBe(1);
        } finally {
          await browser.close();
          pages.close();
        }
      }, 60_000);
    }
  },
  { environment: deviceEnvironment },
);

/** A city is changed in the page without a server, and elsewhere before the page is back. */
async function samplePage(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  await copyEmbeddedDemo(directory);
  const start = (PORT: string) =>
    startServer(
      loadConfiguration({ environment: { ...testEnvironment, DATA_DIR: directory, PORT } }),
      undefined,
      undefined,
      undefined,
      tuningOf({}),
    );
  let running = await start("0");
  const { url } = running;
  const browser = new HeadlessBrowser(chromium as string);
  try {
    const tab = await browser.open();
    const page = `${url}/docs/offline`;
    await tab.go(page);
    await tab.evaluate(`document.querySelector("#log-in").requestSubmit()`);
    await reached(tab, { state: "online", waiting: "0", customers: 200 });
    await tab.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await running.close();
    await reached(tab, { state: "offline", waiting: "0", customers: 200 });
    const uuid = await tab.evaluate(`(() => {
      document.querySelector("#customers li button").click();
      const city = document.querySelector("#customer [data-field=City]");
      city.value = "Nowhere";
      city.dispatchEvent(new Event("change", { bubbles: true }));
      document.querySelector("#new-customer").click();
      return city.dataset.uuid;
    })()`);
    await reached(tab, { state: "offline", waiting: "2", customers: 201 });
    await tab.go(page);
    await reached(tab, { state: "none", waiting: "2", customers: 201 });

    running = await start(new URL(url).port);
    const client = new SallyportClient({ baseUrl: url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", user: "admin", password: "admin", appNames: ["demo-app"] });
    await client.updateObject(String(uuid), { City: "Elsewhere" });
    await tab.evaluate(`document.querySelector("#log-in").requestSubmit()`);
    await reached(tab, { state: "online", waiting: "0", customers: 201 });
    await expect(tab.evaluate(`document.querySelector("#news").innerText`)).resolves.toMatch(
      /^Conflict about City of .+: “Nowhere” here, “Elsewhere” on the server. Yours was kept.$/m,
    );
    await expect(client.getObject(String(uuid))).resolves.toMatchObject({ City: "Nowhere" });
    await expect(client.countObjects("Customer")).resolves.toBe(201);
    const addresses = tab.requests.map((request) => request.url).filter((each) => !each.startsWith("data:"));
    expect(addresses.filter((each) => !each.startsWith(`${url}/`))).toEqual([]);
  } finally {
    await browser.close();
    await running.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Waits until the page shows this status and as many customers. */
async function reached(
  tab: BrowserTab,
  wanted: { readonly state: string; readonly waiting: string; readonly customers: number },
): Promise<void> {
  const seen = await tab.evaluate(`new Promise((resolve) => {
    const end = Date.now() + 20_000;
    const look = () => {
      const { state, waiting } = document.querySelector("#status").dataset;
      const seen = { state, waiting, customers: document.querySelectorAll("#customers li button").length };
      if (JSON.stringify(seen) === ${JSON.stringify(JSON.stringify(wanted))} || Date.now() > end) resolve(seen);
      else setTimeout(look, 50);
    };
    look();
  })`);
  expect(seen).toEqual(wanted);
}

/** Sends the form of the page. Returns its status. */
function synchronizeInPage({ server, password }: { readonly server: string; readonly password: string }): string {
  return `new Promise((resolve) => (function send() {
    const status = document.querySelector("#status");
    new MutationObserver(() => resolve(status.textContent)).observe(status, { childList: true });
    const form = document.querySelector("form");
    if (form.onsubmit === null) return void setTimeout(send, 50);
    const fields = ${JSON.stringify({ server, appKey: "key of the page", user: "demo", password })};
    for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
    form.requestSubmit();
  })())`;
}

/** Waits until the page shows as many objects with pending edits, and returns their number. */
function pendingInPage(count: number): string {
  return `new Promise((resolve) => {
    const look = () => {
      const rows = [...document.querySelectorAll("li")];
      const found = rows.filter(({ textContent }) => textContent.includes("not synchronized")).length;
      if (rows.length > 0 && found === ${count}) resolve(found);
      else setTimeout(look, 50);
    };
    look();
  })`;
}
