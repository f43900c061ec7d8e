import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { transformSync } from "esbuild";

/** A copy of the working tree with its build, that contains every mutant, disabled. */
export function makeWorkspace(root, mutants) {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-mutants-"));
  // A Postgres that tests of root start runs as another user, with its files there.
  chmodSync(directory, 0o711);
  const copy = join(directory, "copy");
  const state = join(directory, "state");
  mkdirSync(state);
  const filter = (path) => ![".git", "node_modules"].includes(basename(path));
  cpSync(root, copy, { recursive: true, filter });
  linkModules(root, copy);
  for (const path of new Set(mutants.map((mutant) => mutant.path)))
    mutateFile(
      copy,
      path,
      mutants.filter((mutant) => mutant.path === path),
      state,
    );
  const bundled = spawnSync(process.execPath, ["apps/server/bundle.mjs"], { cwd: copy, encoding: "utf8" });
  if (bundled.status !== 0) throw new Error(bundled.stderr);
  return { directory, copy, state };
}

/** Packages of others are where they are; our own are those of the copy. */
function linkModules(root, copy) {
  const from = join(root, "node_modules");
  const to = join(copy, "node_modules");
  mkdirSync(join(to, "@sallyport"), { recursive: true });
  for (const name of readdirSync(from)) if (name !== "@sallyport") symlinkSync(join(from, name), join(to, name));
  const own = join(from, "@sallyport");
  cpSync(own, join(to, "@sallyport"), { recursive: true, verbatimSymlinks: true });
}

/** Tests load the sources beside them and the builds of other packages: both get the mutants. */
function mutateFile(copy, path, mutants, state) {
  let text = readFileSync(join(copy, path));
  for (const mutant of mutants.toSorted((one, other) => other.start - one.start))
    text = Buffer.concat([text.subarray(0, mutant.start), Buffer.from(switched(mutant)), text.subarray(mutant.end)]);
  const source = `${text}\n${switchOf(state)}`;
  writeFileSync(join(copy, path), source);
  const built = path.replace("/src/", "/dist/").replace(/\.ts$/, ".js");
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  const { code } = transformSync(source, { loader: "ts", target: "es2023", tsconfigRaw });
  writeFileSync(join(copy, built), code.replaceAll(/(\b(?:from |import |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}

function switched({ number, was, replacement }) {
  if (replacement === "") return `{ if (!__mutant(${number})) ${was} }`;
  return `(__mutant(${number}) ? ${replacement} : ${was})`;
}

/**
 * Tells whether a mutant is enabled, and records the test file that reached it. The test environment wrote both for its process; processes and
 * threads that a test starts may have no environment variables, so they look at their parents.
 */
function switchOf(state) {
  return `function __mutant(number: number): boolean {
  const self = __mutant as { on?: unknown; note?: (reached: number) => void };
  if (self.on === undefined) {
    const { appendFileSync, existsSync, readFileSync } = process.getBuiltinModule("node:fs");
    const file = (name: number | string) => ${JSON.stringify(`${state}/`)} + name;
    let pid = process.pid;
    while (pid > 0 && !existsSync(file(pid)))
      pid = Number(/^PPid:\\s*(\\d+)/m.exec(readFileSync("/proc/" + pid + "/status", "utf8"))?.[1]);
    const { mutant, test } = pid > 0 ? JSON.parse(readFileSync(file(pid), "utf8")) : { mutant: "none" };
    self.on = mutant;
    const recorded = new Set();
    self.record = (reached: number) => {
      if (recorded.has(reached)) return;
      recorded.add(reached);
      appendFileSync(file("reached"), JSON.stringify([reached, test]) + "\\n");
    };
  }
  if (self.on === "reach") self.record?.(number);
  return self.on === number;
}
`;
}
