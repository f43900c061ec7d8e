/** Finds imports in the sources of packages that their `package.json` lacks: `node .ci/declared-imports.mjs`. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";

const specifiers = /^(?:import|export) (?:[^"'`;]* from )?"([^".][^"]*)";|\bimport\("([^".][^"]*)"\)/gm;
const sources = /^(packages\/(?!test-kit)[^/]+|apps\/(?!bench)[^/]+)\/src\/(?!.*\.test\.ts$).*\.tsx?$/;

/** The places of such imports below a folder. Benchmarks and fixtures of tests use what the root has. */
export function undeclaredImports(root) {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  return list.split("\n").flatMap((file) => {
    const [, folder] = sources.exec(file) ?? [];
    if (folder === undefined) return [];
    const manifest = JSON.parse(readFileSync(`${root}/${folder}/package.json`, "utf8"));
    // A bundled package is a development dependency.
    const kinds = [manifest.dependencies, manifest.peerDependencies, manifest.devDependencies];
    const declared = new Set([manifest.name, ...kinds.flatMap((kind) => Object.keys(kind ?? {}))]);
    const found = readFileSync(`${root}/${file}`, "utf8").matchAll(specifiers);
    return Array.from(found, ([, named, loaded]) => named ?? loaded)
      .filter((specifier) => !isBuiltin(specifier))
      .map((specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"))
      .flatMap((name) => (declared.has(name) ? [] : { file, name }));
  });
}

if (import.meta.filename === process.argv[1]) {
  const found = undeclaredImports(`${import.meta.dirname}/..`);
  for (const { file, name } of found) console.error(`${file}: imports ${name}, which its package.json lacks`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
