import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTesting } from "../../src/commands/run-testing.ts";
import { startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

describe("diff", () => {
  let folder: string;
  let service: TestService;
  const other = createServer();

  const suite = `
    import { openTestService } from "@sallyport/testing";
    const service = await openTestService();
    const ada = service.as("ada");
    await ada.get("/v1/object/" + service.id("first"));
    await ada.post("/v1/object/Ticket").send({});
    await ada.get("/_CheckSession");
    await service.close();`;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-diff-"));
    mkdirSync(join(folder, "node_modules/@sallyport"), { recursive: true });
    symlinkSync(join(import.meta.dirname, "../.."), join(folder, "node_modules/@sallyport/testing"));
    writeFileSync(join(folder, "suite.mjs"), suite);
    writeFileSync(join(folder, "idle.mjs"), "");
    service = await startTestService({ databases: { "": tickets }, listen: true });
    // Another version: it answers as the service does, but for some members, headers and a code.
    other.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => void forward(request.method ?? "", request.url ?? "", request.headers, chunks));
      const forward = async (method: string, url: string, headers: object, body: readonly Buffer[]) => {
        const {
          host: _,
          connection: _c,
          "content-length": _l,
          "accept-encoding": _a,
          ...kept
        } = headers as Record<string, string>;
        const sent = body.length === 0 ? null : Buffer.concat(body);
        const answer = await fetch(service.url + url, { method, headers: kept, body: sent });
        let text = await answer.text();
        let { status } = answer;
        if (url.startsWith("/v1/object/") && method === "GET")
          text = text.replace('"Title":"First"', '"Title":1,"Caption":"First"');
        if (method === "POST" && url === "/v1/object/Ticket") {
          status = 404;
          text = JSON.stringify({ status: { internalStatus: "304", statusMessage: "Invalid path" } });
        }
        const more = url === "/_CheckSession" ? { "x-new": "1" } : {};
        response.writeHead(status, { "content-type": "application/json", ...more }).end(text);
      };
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const options = { appKey: "test-app-key", users: { ada: "correct horse" }, ids: { first: service.id("first") } };
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    writeFileSync(join(folder, "old.json"), JSON.stringify({ ...options, url: service.url }));
    writeFileSync(join(folder, "new.json"), JSON.stringify({ ...options, url }));
  });
  afterAll(async () => {
    other.closeAllConnections();
    other.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const diff = async (before: string, after: string, file: string) => {
    const written = { out: "", err: "" };
    const args = ["diff", join(folder, before), join(folder, after), "--", process.execPath, join(folder, file)];
    const code = await runTesting(args, {
      stdout: { write: (text) => (written.out += text) },
      stderr: { write: (text) => (written.err += text) },
      env: { ...process.env, NODE_OPTIONS: "" },
      signal: AbortSignal.abort(),
    });
    return { code, ...written };
  };

  test("lists the codes, members and headers that changed", async () => {
    const { code, out } = await diff("old.json", "new.json", "suite.mjs");
    expect(code).toBe(1);
    expect(out).toContain("Changes in 5 responses of the old server, 5 of the new one:\n");
    expect(out).toContain("\nGET /_CheckSession\n");
    expect(out).toContain("  + header 200/0 x-new\n");
    expect(out).toContain("  + member 200/0 data.Caption\n");
    expect(out).toContain("  ~ member 200/0 data.Title: number, was string\n");
    expect(out).toContain("  - code 400/307\n  + code 404/304\n");
    expect(out).not.toContain("First");
  }, 60_000);

  test("finds no change between a server and itself", async () => {
    const { code, out } = await diff("old.json", "old.json", "suite.mjs");
    expect([code, out]).toEqual([0, "No change in 5 responses of the old server, 5 of the new one.\n"]);
  }, 60_000);

  test("says that a suite sends no request, and what its arguments lack", async () => {
    const idle = await diff("old.json", "new.json", "idle.mjs");
    expect([idle.code, idle.err]).toEqual([2, expect.stringContaining("has sent no request to the server of")]);
    const terminal = { stdout: { write: () => {} }, env: {}, signal: AbortSignal.abort() };
    for (const [args, reason] of [
      [["diff", "old.json"], "Name the files of both servers."],
      [["diff", "old.json", "new.json"], "The command of the suite is missing"],
    ] as const) {
      let text = "";
      expect(await runTesting(args, { ...terminal, stderr: { write: (more: string) => (text += more) } })).toBe(2);
      expect(text).toContain(reason);
    }
  });
});
