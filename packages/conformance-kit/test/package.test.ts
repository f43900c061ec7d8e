import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";

const packages = join(import.meta.dirname, "..", "..");

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The paths of the files that would be published. Asks nobody but npm itself. */
async function packed(name: string): Promise<ReadonlySet<string>> {
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"],
    { cwd: join(packages, name) },
  );
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
  return new Set(files.map(({ path }) => path));
}

const read = (name: string, path: string) => readFileSync(join(packages, name, path), "utf8");

/** What a built file imports. */
function importsOf(text: string): string[] {
  return Array.from(text.matchAll(/^(?:import|export) .*from "([^"]+)";$/gm), ([, specifier]) => String(specifier));
}

/** A package by the name it is imported by. */
const packageOf = (specifier: string) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Milliseconds for npm to start. */
const timeout = 120_000;

describe.each(["core", "storage-memory", "conformance-kit"])("the package %s", (name) => {
  const manifest = JSON.parse(read(name, "package.json")) as Manifest;
  let files: ReadonlySet<string> = new Set();

  beforeAll(async () => {
    files = await packed(name);
  }, timeout);

  test("holds what it exports, its commands, and neither sources nor tests", () => {
    const exported = Object.values(manifest.exports).flatMap((each) =>
      typeof each === "string" ? [each] : Object.values(each),
    );
    for (const path of [...exported, ...Object.values(manifest.bin ?? {})])
      expect([...files]).toContain(posix.normalize(path));
    expect([...files].filter((path) => /\.test\.|tsbuildinfo|^src\/|^test\//.test(path))).toEqual([]);
  });

  test("imports nothing that is not in it or that it does not depend on", () => {
    const modules = [...files].filter((path) => path.endsWith(".js"));
    expect(modules.length).toBeGreaterThan(10);
    const missing = modules.flatMap((path) =>
      importsOf(read(name, path)).filter((specifier) => {
        if (specifier.startsWith(".")) return !files.has(posix.join(posix.dirname(path), specifier));
        return !specifier.startsWith("node:") && manifest.dependencies?.[packageOf(specifier)] === undefined;
      }),
    );
    expect(missing).toEqual([]);
  });
});

test(
  "the kit comes with its command, its declarations, the schema of its report, and a page to read",
  async () => {
    const files = await packed("conformance-kit");
    for (const path of ["dist/main.js", "dist/index.d.ts", "report.schema.json", "README.md"])
      expect([...files]).toContain(path);
    expect(read("conformance-kit", "dist/main.js")).toMatch(/^#!\/usr\/bin\/env node\n/);
    const folder = join(packages, "conformance-kit");
    for (const [, link] of read("conformance-kit", "README.md").matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      expect(existsSync(join(dirname(join(folder, "README.md")), String(link)))).toBe(true);
  },
  timeout,
);
