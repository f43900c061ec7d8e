import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { providerTypes } from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import { signIn } from "@sallyport/provider-imitation";
import { type DemoProviders, startDemoProviders } from "./start-demo-providers.ts";

let folder: string;
let demo: DemoProviders;

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "sallyport-demo-providers-")), "data");
  demo = await startDemoProviders({ folder, serverAddress: "http://127.0.0.1:8080" });
});

afterAll(async () => {
  await demo.close();
  await rm(folder, { recursive: true });
});

test.each(providerTypes)("somebody comes through the imitation of %s", async (type) => {
  const provider = identityProviders({ imitation: demo.url }).get(type)!;
  const data = provider.accept(demo.entries.find((entry) => entry.type === type)!.data);
  await provider.check(data);
  const request = {
    data,
    redirectUri: `http://127.0.0.1:8080/v1/${type}/callback`,
    state: "s".repeat(43),
    nonce: "n".repeat(43),
    codeVerifier: "v".repeat(43),
  };
  const { parameters } = await signIn(await provider.begin(request), "ben");
  expect(await provider.finish({ ...request, parameters })).toMatchObject({
    name: "Ben",
    surname: "Example",
    email: "ben@example.com",
  });
});

test("Apple's key of the demo is made once, for the user of the server alone", async () => {
  const path = join(folder, "apple-demo-key.p8");
  const before = await readFile(path, "utf8");
  const others = await Promise.all(
    [1, 2].map(() => startDemoProviders({ folder, serverAddress: "http://127.0.0.1:8080" })),
  );
  for (const other of others) await other.close();
  expect(await readFile(path, "utf8")).toBe(before);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
