import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { consoleTicket } from "../administration/administration-fixture.ts";
import { administrator, fillLogIn, goTo, OpenConsole } from "./open-console.ts";

/** A proxy that serves another server below a prefix, and nothing else. */
async function startProxy(target: string, prefix: string, strips: boolean): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end("This is another service.");
    const path = strips ? url.slice(prefix.length) : url;
    const sent = request(new URL(path, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

describe.each([
  ["strips its prefix", "/tools/sallyport", true, {}],
  ["keeps its prefix", "/base", false, { BASE_PATH: "/base" }],
])("console behind a proxy that %s", (_what, prefix, strips, environment: Readonly<Record<string, string>>) => {
  let opened: OpenConsole;
  let proxy: Server;
  let address: string;
  beforeAll(async () => {
    opened = await OpenConsole.open("embedded", environment);
    proxy = await startProxy(opened.server.url, prefix, strips);
    address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`;
  }, 180_000);
  afterAll(async () => {
    await opened.close();
    proxy.closeAllConnections();
    proxy.close();
  });

  test("works with its pages, files and sessions below the prefix only", async () => {
    const page = await (await opened.context()).newPage();
    await page.goto(`${address}/`);
    await page.getByRole("button", { name: "Log in" }).waitFor();
    expect(page.url()).toBe(`${address}/console/`);
    await page.goto("about:blank");
    await page.goto(`${address}/console/#ticket=${await consoleTicket(opened.server)}`);
    await page.getByText("no administration key is needed").waitFor();
    await fillLogIn(page, administrator);
    await page.getByRole("heading", { name: "Welcome, admin" }).waitFor();
    await goTo(page, "Groups");
    await page.getByRole("cell", { name: "Sales" }).first().waitFor();
    await goTo(page, "Invoice");
    await page.getByRole("gridcell", { name: "2025-00001", exact: true }).getByRole("link").click();
    await page.getByRole("textbox", { name: "Amount" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("textbox", { name: "Amount" }).waitFor();
    await page.goto(`${address}/second/console`);
    await page.getByRole("button", { name: "Log in" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${prefix}/second/console/`);
    const requested = opened.requests.filter((each) => each.startsWith("http"));
    expect(requested.filter((each) => !each.startsWith(`${address}/`))).toEqual([]);
    expect(opened.reports).toEqual([]);
    await page.context().close();
  });
});
