import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { providerTypes, ProviderEntries } from "@sallyport/core";
import { repositoriesOf } from "../password-suite.ts";
import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { copyEmbeddedDemo } from "../run-directory/copy-embedded-demo.ts";
import type { Subject } from "../subject.ts";
import { testEnvironment } from "../test-environment.ts";
import { link, logInAt } from "./browser.ts";
import { freePort } from "./free-port.ts";

let directory: string;
let port: number;
let server: RunningServer;
const subject = () => server as unknown as Subject;

const start = () =>
  startServer(loadConfiguration({ environment: { ...testEnvironment, DATA_DIR: directory, PORT: `${port}` } }));

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "sallyport-demo-"));
  await copyEmbeddedDemo(directory);
  port = await freePort();
  server = await start();
}, 60_000);

afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

test.each(providerTypes)(
  "somebody tries %s out with nothing but the demo: binds his account, and comes back",
  async (type) => {
    for (const alias of ["", "/second"]) {
      const { body } = await logInAt(subject(), type, "anna", { alias });
      expect(body).toMatchObject({
        status: { internalStatus: "0", statusMessage: "A database user must be assigned" },
        data: { dfUuid: expect.any(String) },
      });
      expect((await link(subject(), body.data.dfUuid, {}, alias)).body).toMatchObject({
        status: { internalStatus: "0" },
        data: { sessionId: expect.any(String), user: { Name: "demo" } },
      });
      expect((await logInAt(subject(), type, "anna", { alias })).body).toMatchObject({
        status: { internalStatus: "0" },
        data: { sessionId: expect.any(String), user: { Name: "demo" } },
      });
    }
  },
);

test("what was bound stays so when the demo is started again, and what others have registered does, too", async () => {
  const entries = () => new ProviderEntries(repositoriesOf(server).records);
  const google = await entries().find("google");
  const apple = await entries().find("apple");
  if (google == null || apple == null) throw new Error("The demo has no providers.");
  await entries().put({ ...apple, name: "Of the operator", appNames: [] });
  await server.close();
  server = await start();
  expect((await logInAt(subject(), "google", "anna")).body).toMatchObject({ data: { sessionId: expect.any(String) } });
  expect(await entries().find("google")).toEqual(google);
  expect(await entries().find("apple")).toMatchObject({ name: "Of the operator", appNames: [] });
}, 60_000);
