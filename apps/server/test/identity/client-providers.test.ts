import { SallyportClient } from "@sallyport/client";
import { linkingLogIn, listLinks, providerAddress, providerAnswer, removeLinks } from "@sallyport/client/identity";
import { signIn } from "@sallyport/fake-identity-providers";
import { pino } from "pino";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { finishLogIn } from "../providers/browser.ts";
import {
  openProviderFixture,
  type ProviderFixture,
  register,
  providerEnvironment,
} from "../providers/provider-fixture.ts";
import { appKey } from "../subject.ts";

/** A provider log-in through the client, with a server that logs everything. */

let fixture: ProviderFixture;
let server: RunningServer;
let log = "";
beforeAll(async () => {
  fixture = await openProviderFixture();
  const logger = pino({ level: "trace" }, { write: (line: string) => void (log += line) });
  server = await startSeededServer(
    [{ engine: "memory" }, { engine: "memory" }],
    providerEnvironment,
    logger,
    fixture.content,
  );
  await register(fixture, server, "google");
}, 60_000);
afterAll(async () => {
  await server.close();
  await fixture.close();
});

/** Goes to an address and to the provider's page like a browser, and returns the contents of the last page. */
async function browse(address: string, secrets: string[]) {
  const away = await fetch(address, { redirect: "manual" });
  const [cookie = ""] = (away.headers.get("set-cookie") ?? "").split(";");
  const callback = await signIn(away.headers.get("location") ?? "", "anna");
  secrets.push(
    cookie.split("=")[1] ?? "",
    ...["state", "code"].map((name) => new Map(callback.parameters).get(name) ?? ""),
  );
  const { body, status } = await finishLogIn(server, callback, cookie);
  return providerAnswer(JSON.stringify(body), status);
}

test("an account is linked, opens sessions, and is unlinked; no secret is in the log", async () => {
  const secrets: string[] = [];
  const place = { baseUrl: server.url, appKey };
  const address = providerAddress(place, "google", {
    appNames: ["demo-app"],
    deviceId: "device",
    twoFactorToken: "a token of no use",
  });
  const first = await browse(address, secrets);
  if (first.assigned) throw new Error("No account is linked yet.");
  const client = new SallyportClient(place);
  const demo = { user: "demo", password: "demo", appNames: ["demo-app"] };
  await expect(client.logIn(linkingLogIn({ ...demo, password: "wrong", dfUuid: first.dfUuid }))).rejects.toMatchObject({
    code: 302,
  });
  await expect(client.logIn(linkingLogIn({ ...demo, dfUuid: first.dfUuid }))).resolves.toMatchObject({
    mode: "session",
    user: { Name: "demo" },
  });
  await expect(new SallyportClient(place).logIn(linkingLogIn({ ...demo, dfUuid: first.dfUuid }))).rejects.toMatchObject(
    { code: 324 },
  );
  await expect(listLinks(client)).resolves.toMatchObject([{ provider: "google", shared: false }]);

  const second = await browse(address, secrets);
  if (!second.assigned) throw new Error("The account is bound.");
  const other = new SallyportClient(place);
  await expect(other.logIn(second.logIn)).resolves.toMatchObject({
    mode: "session",
    databaseName: "demo",
    user: { Name: "demo" },
  });
  await expect(other.countObjects("Customer")).resolves.toBeGreaterThan(0);
  await removeLinks(client, "google");
  await expect(other.checkSession()).resolves.toBe(false);
  await expect(client.checkSession()).resolves.toBe(true);
  await expect(removeLinks(client, "nobody")).rejects.toMatchObject({ code: 698 });

  secrets.push(
    first.dfUuid,
    second.logIn.endpoint?.answered === undefined
      ? ""
      : (second.logIn.endpoint.answered as { sessionId: string }).sessionId,
    "a token of no use",
    "a+token+of+no+use",
  );
  expect(secrets.filter((text) => text.length < 6)).toEqual([]);
  expect(log).toContain("/v1/auth/{providerName}");
  expect(secrets.filter((text) => log.includes(text))).toEqual([]);
});
