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
  const { directory, copy } = makeDirectory();
  const state = join(directory, "state");
  mkdirSync(state);
  const filter = (path) => ![".git", "node_modules"].includes(basename(path));
  cpSync(root, copy, { recursive: true, filter });
  linkModules(root, copy);
  mutateFiles(copy, mutants, switchOf(state));
  const bundled = spawnSync(process.execPath, ["apps/server/bundle.mjs"], { cwd: copy, encoding: "utf8" });
  if (bundled.status !== 0) throw new Error(bundled.stderr);
  return { directory, copy, state };
}

/** A copy of the sources and builds of some packages, that contains every mutant behind a switch with this code. */
export function makePackages(root, packages, mutants, switchCode) {
  const { directory, copy } = makeDirectory();
  const filter = (path) => !/\/node_modules$|\.map$|\.tsbuildinfo$/.test(path);
  for (const name of packages)
    for (const part of ["package.json", "src", "dist"])
      cpSync(join(root, "packages", name, part), join(copy, "packages", name, part), { recursive: true, filter });
  linkModules(root, copy);
  mutateFiles(copy, mutants, switchCode);
  return { directory, copy };
}

function makeDirectory() {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-mutants-"));
  // A Postgres that tests of root start runs as another user, with its files there.
  chmodSync(directory, 0o711);
  return { directory, copy: join(directory, "copy") };
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
function mutateFiles(copy, mutants, switchCode) {
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    const some = mutants.filter((mutant) => mutant.path === path);
    const source = `${switched(readFileSync(join(copy, path)), some)}\n${switchCode}`;
    writeFileSync(join(copy, path), source);
    const built = path.replace("/src/", "/dist/").replace(/\.ts$/, ".js");
    const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
    const { code } = transformSync(source, { loader: "ts", target: "es2023", tsconfigRaw });
    writeFileSync(join(copy, built), code.replaceAll(/(\b(?:from |import |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
  }
}

/** The code with every mutant behind its switch. One place may have several, and contain those of its parts. */
function switched(text, mutants) {
  const render = (start, end, inside) => {
    const parts = [];
    let place = start;
    for (let index = 0; index < inside.length; ) {
      const outer = inside[index];
      const within = inside.slice(index).filter((each) => each.start < outer.end);
      const here = within.filter((each) => each.end === outer.end && each.start === outer.start);
      const code = render(outer.start, outer.end, within.slice(here.length));
      parts.push(text.subarray(place, outer.start).toString(), here.reduceRight(withSwitch, code));
      place = outer.end;
      index += within.length;
    }
    parts.push(text.subarray(place, end).toString());
    return parts.join("");
  };
  const ordered = mutants.toSorted((one, other) => one.start - other.start || other.end - one.end);
  return render(0, text.length, ordered);
}

function withSwitch(code, { number, replacement }) {
  if (replacement === "") return `{ if (!__mutant(${number})) ${code} }`;
  return `(__mutant(${number}) ? (${replacement}) : ${code})`;
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
