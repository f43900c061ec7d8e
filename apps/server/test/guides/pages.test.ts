import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { startDemoServer } from "../demo-server.ts";

describe("guide for pages", () => {
  let server: RunningServer;
  let call: (path: string, options?: object) => Promise<ReturnType<typeof JSON.parse>>;
  beforeAll(async () => {
    server = await startDemoServer("memory");
    const guide = readFileSync(new URL("../../../../docs/guides/browsers.md", import.meta.url), "utf8");
    const [, code = ""] = /^```js\n(.*?)^```/ms.exec(guide) ?? [];
    const file = join(mkdtempSync(join(tmpdir(), "sallyport-page-")), "call.mjs");
    writeFileSync(file, code.replace("http://127.0.0.1:8080", server.url));
    ({ call } = await import(file));
  }, 60_000);
  afterAll(() => server.close());

  test("the printed function returns data, and throws the code of a failure", async () => {
    const body = { user: "demo", pass: "demo", appNames: ["demo-app"] };
    const { sessionId } = await call("/v1/login", { method: "POST", body });
    expect((await call("/v1/objects/Customer?perPage=1", { sessionId }))["~Elements"]).toHaveLength(1);
    await expect(call("/v1/login", { method: "POST", body: { ...body, pass: "wrong" } })).rejects.toMatchObject({
      code: "302",
      requestId: expect.stringMatching(/./),
    });
  });

  test("the printed function repeats a read after the time that the service names", async () => {
    const { admission } = (server.databases.get("") as Database).storage.repositories;
    const admit = jest.spyOn(admission, "admit");
    admit.mockRejectedValueOnce(new ServiceError(706, { retryAfter: 1 }));
    expect(await call("/_CheckService")).toMatchObject({ applicationName: "sallyport" });
    admit.mockRejectedValueOnce(new ServiceError(706, { retryAfter: 1 }));
    await expect(call("/_CheckService", { attempts: 1 })).rejects.toMatchObject({ code: "706" });
    admit.mockRestore();
  });

  test("the printed function tells that the service cannot be reached", async () => {
    await expect(call(".invalid/_CheckService")).rejects.toMatchObject({ code: "offline" });
  });
});
