import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { SallyportClient } from "@sallyport/client";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Command } from "commander";
import { wholeCommand } from "../../src/commands/main-command.ts";
import { configurationFields } from "../../src/configuration/index.ts";
import { removedSettings } from "../../src/configuration/removed-settings.ts";
import type { RunningServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { tryLogIn } from "../client.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { startDemoServer } from "../demo-server.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { appKey } from "../subject.ts";

/** The published package, unpacked into an empty folder with its dependencies only. */
describe("packed server", () => {
  const root = join(import.meta.dirname, "../../../..");
  const run = promisify(execFile);

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
      [["--version"], ["--help"], ["help", "app-key", "import"]].map((words) => start(words).ended),
    );
    expect(told).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(help?.stdout).toContain("sallyport --local");
    expect(more?.stdout).toContain("Usage: sallyport-server app-key import [options] <name>");
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
  }, 120_000);

  test("names source lines in stack traces", async () => {
    const { code, stderr } = await start(["class", "list"], { LOG_LEVEL: "debug", MASTER_KEY: "none" }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      / at loadConfiguration \(apps\/server\/src\/configuration\/load-configuration\.ts:\d+:\d+\)/,
    );
    expect(stderr).not.toContain(installed);
  });

  test("tells how to install the driver of MariaDB, which is not among its dependencies", async () => {
    const { code, stderr } = await start(["migrate"], { DATABASE_URL: "mariadb://sallyport@127.0.0.1:1/sallyport" })
      .ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Install it beside the server: "npm install mysql2"');
  });

  test("recognises the errors of a storage adapter with its own copy of the ports", async () => {
    const adapter = join(folder, "adapter");
    for (const name of ["storage", "storage-memory"]) {
      const place = join(adapter, "node_modules/@sallyport", name);
      for (const part of ["package.json", "dist"])
        cpSync(join(root, "packages", name, part), join(place, part), { recursive: true });
      expect(existsSync(join(place, "dist/index.js"))).toBe(true);
    }
    const text = `
      import { ServiceError } from "@sallyport/storage";
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

describe("reference", () => {
  type Document = ReturnType<typeof JSON.parse>;

  describe("API description of the demo", () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await startDemoServer("memory");
    }, 60_000);
    afterAll(() => server.close());

    const get = async (path: string, headers: Record<string, string>): Promise<Document> =>
      (await fetch(server.url + path, { headers })).json();
    const session = async (user: string) => ({ appkey: appKey, sessionid: await logIn(server, user) });

    test.each(["nobody", "reader", "admin"])("is valid for %s", async (user) => {
      const document = await get("/openapi.json", user === "nobody" ? {} : await session(user));
      expect(await new Validator().validate(document)).toEqual({ valid: true });
    });

    test("is sent as UTF-8 JSON, not cached", async () => {
      const { headers } = await fetch(`${server.url}/openapi.json`);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    });

    describe.each(["reader", "admin"])("for %s", (user) => {
      const serializations = [
        {},
        { depth: 0 },
        { depth: 5 },
        { type: "empty" },
        { type: "oid" },
        { type: "custom", fields: [] },
      ];

      test("matches lists and objects", async () => {
        const headers = await session(user);
        const document: Document = await get("/openapi.json", headers);
        const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(document, "api");
        const check = (schema: string, data: unknown) => {
          const validate = ajv.getSchema(`api#/components/schemas/${schema}`);
          expect({ fits: validate?.(data), errors: validate?.errors }).toEqual({ fits: true, errors: null });
        };
        const names: string[] = document.paths["/v1/objects/{className}"].get.parameters[0].schema.enum;
        expect(names.length).toBeGreaterThan(1);
        for (const name of names) {
          for (const serialization of serializations) {
            const { data } = await get(
              `/v1/objects/${name}?perPage=20&serialization=${encodeURIComponent(JSON.stringify(serialization))}`,
              headers,
            );
            check("ObjectList", data);
          }
          const { data } = await get(`/v1/objects/${name}?perPage=3`, headers);
          for (const element of data["~Elements"]) check(`class.${name}`, element);
        }
      });

      if (user === "admin") {
        test("has examples that can be created unchanged", async () => {
          const headers = await session(user);
          const { paths } = await get("/openapi.json", headers);
          const { post } = paths["/v1/object/{idOrClass}"];
          const examples = Object.entries(
            post.requestBody.content["application/json"].examples as Record<string, { value: object }>,
          );
          expect(examples.map(([name]) => name)).toEqual(post.parameters[0].schema.enum);
          for (const [name, { value }] of examples) {
            const init = {
              method: "POST",
              headers: { ...headers, "content-type": "application/json" },
              body: JSON.stringify(value),
            };
            const answer = (await (await fetch(`${server.url}/v1/object/${name}`, init)).json()) as Document;
            expect({ name, status: answer.status.internalStatus }).toEqual({ name, status: "0" });
          }
        });
      }

      test("does not match objects with wrong values", async () => {
        const document: Document = await get("/openapi.json", await session(user));
        const validate = new Ajv2020({ strict: false, validateFormats: false })
          .addSchema(document, "api")
          .getSchema("api#/components/schemas/class.Customer");
        const customer = { "~ClassName": "Customer", "~ObjectID": "1", "~StoreTime": "x" };
        expect(validate?.(customer)).toBe(true);
        expect(validate?.({ ...customer, Active: "yes" })).toBe(false);
        expect(validate?.({ ...customer, "~ClassName": "Invoice" })).toBe(false);
      });
    });
  });

  describe("documentation", () => {
    const root = resolve(import.meta.dirname, "../../../..");
    const below = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
    const pages = ["README.md", ...below.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];
    const read = (page: string) => readFileSync(join(root, page), "utf8");
    const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => String(found));

    const configurable = configurationFields().flatMap(({ env, secret }) =>
      env === null ? [] : secret ? [env, `${env}_FILE`] : [env],
    );
    const variables = new Set([
      ...configurable,
      "NODE_ENV",
      "NODE_EXTRA_CA_CERTS",
      "NODE_OPTIONS",
      "SALLYPORT_CONFIG",
      "MARIADB_URL",
      "S3_URL",
      "UPLOAD_SEED",
      "SYNC_SEEDS",
      "SALLYPORT_COVERAGE",
      "SALLYPORT_COVERAGE_MIN",
      "SALLYPORT_TEST_SERVER",
      "ACCEPTANCE_PASSWORD",
      // In the environment of a suite for a deployed server.
      "STAGING_URL",
      "STAGING_APP_KEY",
      "STAGING_PASSWORD",
      // The shell variable in the curl of a failed matcher.
      "SESSION_ID",
      "APP_KEY",
      "XDG_CONFIG_HOME",
    ]);

    let main: Command;
    beforeAll(async () => {
      main = await wholeCommand();
    });

    /** The words of a documented command line that the server's commands lack. */
    function unknownIn(line: string): string[] {
      let command: Command = main;
      const unknown: string[] = [];
      for (const word of line.split(/\s+/)) {
        const next = command.commands.find((each) => each.name() === word);
        if (word.startsWith("--")) {
          const known = word === "--help" || command.options.some(({ long }) => long === word.split("=", 1)[0]);
          if (!known) unknown.push(word);
        } else if (next !== undefined) command = next;
        else if (command.commands.length > 0 && !word.startsWith("<")) unknown.push(word);
      }
      return unknown;
    }

    test("the changelog begins with the version of the packages", () => {
      const { version } = JSON.parse(read("package.json")) as { version: string };
      expect(all(read("CHANGELOG.md"), /^## \[([^\]]+)\]/gm)[0]).toBe(version);
    });

    test("every package with an install script is known to work without it", () => {
      const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
      const { packages } = JSON.parse(read("package-lock.json")) as {
        packages: Record<string, { hasInstallScript?: true; link?: true }>;
      };
      const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
        hasInstallScript && path !== "" ? [path.replace(/^.*node_modules\//, "")] : [],
      );
      expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(scripted)].toSorted());
      expect(new Set(Object.values(allowScripts))).toEqual(new Set([false]));
    });

    describe.each(pages)("%s", (page) => {
      const text = read(page);

      test("has no dangling links", () => {
        const links = all(text, /\]\((?!https?:)([^)#]+)[^)]*\)/g);
        expect(links.filter((link) => !existsSync(resolve(root, dirname(page), link)))).toEqual([]);
      });

      test("names existing paths only", () => {
        const paths = all(text, /`((?:packages|apps|docs|\.ci|\.github)\/[\w./-]+)`/g);
        expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
      });

      test("names existing configuration variables only", () => {
        const named = all(text, /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g);
        const former = page === "docs/guides/upgrade.md" ? removedSettings.map(({ variable }) => variable) : [];
        expect(named.filter((name) => !variables.has(name) && !former.includes(name))).toEqual([]);
      });

      test("shows existing commands only", () => {
        const lines = all(text, /(?:^ *|`)(?:sallyport-server|node apps\/server\/dist\/main\.js) ([^`\n]+)/gm);
        expect(lines.flatMap(unknownIn)).toEqual([]);
      });
    });

    const folders = ["apps/server", ...readdirSync(join(root, "packages")).map((name) => `packages/${name}`)];
    test.each(folders.filter((folder) => folder !== "packages/test-kit"))(
      "%s has a README that begins with its name and has an example",
      (folder) => {
        expect(read(`${folder}/README.md`)).toMatch(/^# .+\n\n.+\n[^]*^(?:```[jt]s\n| {4}np[mx] )/m);
      },
    );

    const published = folders.filter((folder) => !JSON.parse(read(`${folder}/package.json`)).private);

    test.each(published)("%s has the license of the project and states its files and exports", (folder) => {
      expect(read(`${folder}/LICENSE`)).toBe(read("LICENSE"));
      const { license } = JSON.parse(read("package.json"));
      const manifest = JSON.parse(read(`${folder}/package.json`));
      expect(manifest).toMatchObject({ license, publishConfig: { access: "public" } });
      for (const key of ["files", "exports"]) expect(manifest).toHaveProperty(key);
    });

    const decisions = readdirSync(join(root, "docs/decisions"))
      .filter((name) => name !== "README.md")
      .toSorted();

    test("decisions are numbered without gaps and listed in the index in this order", () => {
      const index = decisions.map((name, position) => {
        const number = position + 1;
        expect(name).toMatch(new RegExp(`^${String(number).padStart(4, "0")}-[a-z0-9-]+\\.md$`));
        const title = all(read(`docs/decisions/${name}`), /^# (\d+\. .+)$/gm)[0];
        expect(title).toMatch(new RegExp(`^${number}\\. `));
        return `- [${title}](${name})`;
      });
      expect(all(read("docs/decisions/README.md"), /^(- .+)$/gm)).toEqual(index);
    });

    test.each(decisions)("%s is a decision record of half a page", (name) => {
      const text = read(`docs/decisions/${name}`);
      expect(all(text, /^## (.+)$/gm)).toEqual(["Context", "Options considered", "Decision", "Consequences"]);
      expect(text).toMatch(/^Status: accepted\. Date: \d{4}-\d{2}-\d{2}\.$/m);
      expect(text.split("\n").length).toBeLessThanOrEqual(40);
    });
  });
});
