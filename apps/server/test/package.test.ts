import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { SallyportClient } from "@sallyport/client";
import { tryLogIn } from "./client.ts";
import { copyEmbeddedDemo } from "./copy-embedded-demo.ts";
import { ServerProcess } from "./processes/server-process.ts";
import { appKey } from "./subject.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** The published package, unpacked into an empty folder with its dependencies only. */
describe("packed server", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-package-"));
  const installed = join(folder, "node_modules/@sallyport/server");
  const program = join(installed, "dist/main.js");
  const processes: ServerProcess[] = [];
  const start = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const process = new ServerProcess(words, { PORT: "0", ...environment }, folder, "", program);
    processes.push(process);
    return process;
  };

  beforeAll(async () => {
    const packed = [
      "pack",
      "--json",
      "--offline",
      "--pack-destination",
      folder,
      join(root, "apps/server/dist/package"),
    ];
    const [{ filename }] = JSON.parse((await run("npm", packed)).stdout) as [{ filename: string }];
    mkdirSync(installed, { recursive: true });
    await run("tar", ["-xzf", join(folder, filename), "--strip-components=1", "-C", installed]);
    const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    for (const name of Object.keys(dependencies)) {
      const place = join(folder, "node_modules", name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(join(root, "node_modules", name), place);
    }
  }, 60_000);
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    rmSync(folder, { recursive: true });
  });

  test("prints its version and its commands, and help for each", async () => {
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const [told, help, more] = await Promise.all(
      [["--version"], ["--help"], ["help", "user", "create"]].map((words) => start(words).ended),
    );
    expect(told).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(help?.stdout).toContain("custom-user");
    expect(more?.stdout).toContain("Usage: sallyport-server user create [options] <name>");
  });

  test("serves the demo: log-ins, encrypted ones too, objects, macros and the page at /docs", async () => {
    await copyEmbeddedDemo(join(folder, "data"));
    const server = start(["serve"], { DATA_DIR: join(folder, "data") });
    const url = await server.url();
    for (const mode of ["session", "secure"] as const) {
      const client = new SallyportClient({ baseUrl: url, appKey });
      await client.logIn({ mode, user: "demo", password: "demo", appNames: ["demo-app"] });
      expect((await client.listObjects("Customer", { perPage: 3 }))["~Elements"]).toHaveLength(3);
      expect(await client.execute("Echo", { text: mode })).toEqual({ text: mode });
      await client.logOut();
    }
    const page = await fetch(`${url}/docs/swagger-ui-bundle.js`);
    expect(page.status).toBe(200);
    await page.body?.cancel();
    server.signal("SIGINT");
    expect((await server.ended).code).toBe(0);
  });

  test("names source lines in stack traces", async () => {
    const { code, stderr } = await start(["user", "list"], { LOG_LEVEL: "debug", MASTER_KEY: "none" }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      / at loadConfiguration \(apps\/server\/src\/configuration\/load-configuration\.ts:\d+:\d+\)/,
    );
    expect(stderr).not.toContain(installed);
  });

  test("recognises the errors of a storage adapter with its own copy of the core", async () => {
    const adapter = join(folder, "adapter");
    for (const name of ["core", "storage-memory"]) {
      const place = join(adapter, "node_modules/@sallyport", name);
      for (const part of ["package.json", "dist"])
        cpSync(join(root, "packages", name, part), join(place, part), { recursive: true });
      expect(existsSync(join(place, "dist/index.js"))).toBe(true);
    }
    const text = `
      import { ServiceError } from "@sallyport/core";
      import { MemoryStorage } from "@sallyport/storage-memory";
      export function openStorage() {
        const storage = new MemoryStorage();
        storage.repositories.admission.admit = async () => { throw new ServiceError(607); };
        return storage;
      }`;
    writeFileSync(join(adapter, "adapter.mjs"), text);
    const storage = { engine: "module", module: join(adapter, "adapter.mjs") };
    writeFileSync(join(folder, "sallyport.config.json"), JSON.stringify({ databases: [{ storage }] }));
    const server = start(["serve", "--config", join(folder, "sallyport.config.json")]);
    expect((await tryLogIn({ url: await server.url() }, "demo")).code).toBe("607");
  });
});
