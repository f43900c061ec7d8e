import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const run = promisify(execFile);
const published = join(import.meta.dirname, "../dist/package");
const compiler = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

const { exports } = JSON.parse(readFileSync(join(published, "package.json"), "utf8")) as { exports: object };
const specifiers = Object.keys(exports).map((path) => join("@sallyport/client", path));

/** Uses each entry point, and types of the contract in both directions. */
const program = `
${specifiers.map((name, index) => `import * as module${index} from "${name}";`).join("\n")}
import { SallyportClient, SallyportError, type ClassStructure, type LogInOptions, type Serialization } from "@sallyport/client";
import { SallyportAdmin, type AuditEventData } from "@sallyport/client/admin";

export const modules = [${specifiers.map((_, index) => `module${index}`).join(", ")}];
export const serialization: Serialization = { type: "custom", fields: ["Name", { name: "Lines", fields: ["Text"] }] };
// @ts-expect-error: there is no such type
export const other: Serialization = { type: "unknown" };

export async function names(options: LogInOptions): Promise<string[]> {
  const client = new SallyportClient({ baseUrl: "http://127.0.0.1:8080", appKey: "key" });
  await client.logIn(options);
  const { classes } = await client.getStructure();
  const texts: string[] = classes.map(({ name }: ClassStructure) => name);
  // @ts-expect-error: codes are numbers
  if (new SallyportError({ code: "302", message: "", httpStatus: 400 }).code === 302) texts.push("302");
  const admin = new SallyportAdmin({ baseUrl: "http://127.0.0.1:8080", appKey: "key" });
  const audit: readonly AuditEventData[] = (await admin.audit.read()).items;
  const { readers } = await client.call("GET /v1/object/{idOrClass}/readers", { path: { idOrClass: "1A" } });
  // @ts-expect-error: there is no such operation
  await client.call("GET /v1/object");
  // @ts-expect-error: the call needs the id of the user
  await admin.call("GET /admin/v1/users/{userId}");
  const user = await admin.call("PATCH /admin/v1/users/{userId}", { path: { userId: "1A" }, body: { enabled: false } });
  texts.push(user.name, ...(readers ?? []));
  return [...texts, ...audit.map(({ appKeyId }) => appKeyId)];
}
`;

describe("the published package", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-client-"));
    await run("npm", ["pack", published, "--pack-destination", folder, "--offline"], { cwd: folder });
    const [archive = ""] = readdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const quietly = ["--offline", "--no-audit", "--no-fund", "--no-package-lock"];
    await run("npm", ["install", join(folder, archive), ...quietly], { cwd: folder });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test("installs nothing else", () => {
    const isPackage = (name: string) => !name.startsWith(".");
    expect(readdirSync(join(folder, "node_modules")).filter(isPackage)).toEqual(["@sallyport"]);
    expect(readdirSync(join(folder, "node_modules/@sallyport"))).toEqual(["client"]);
    expect(
      readdirSync(join(folder, "node_modules/@sallyport/client")).filter((name) => name === "node_modules"),
    ).toEqual([]);
  });

  test.each([
    ["Node", "nodenext"],
    ["a bundler", "preserve"],
  ])(
    "has whole and strict types for %s",
    async (_name, module) => {
      writeFileSync(join(folder, "program.ts"), program);
      const options = {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        module,
        target: "es2023",
        exactOptionalPropertyTypes: true,
      };
      const lib = ["es2023", "dom", "dom.iterable"];
      writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: { ...options, lib, types: [] }, files: ["program.ts"] }),
      );
      const { stdout } = await run(process.execPath, [compiler, "-p", folder]).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toBe("");
    },
    120_000,
  );

  test("is small in a browser, and has no library for schemas", async () => {
    const browser = specifiers.filter((name) => !/terminal|sqlite|conformance/.test(name));
    const contents = browser.map((name, index) => `export * as module${index} from "${name}";`).join("\n");
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      write: false,
    });
    const [bytes = new Uint8Array()] = outputFiles.map((each) => each.contents);
    expect(gzipSync(bytes, { level: 9 }).length).toBeLessThan(28_400);
    expect(new TextDecoder().decode(bytes)).not.toMatch(/zod|safeParse/i);
  });

  test("loads each entry point", async () => {
    const loading = `await Promise.all(${JSON.stringify(specifiers)}.map((each) => import(each)));`;
    const printed = await run(process.execPath, ["--input-type=module", "--eval", loading], { cwd: folder });
    expect(printed).toEqual({ stdout: "", stderr: "" });
  });
});
