/**
 * Prepares and checks a release.
 *
 *     node .ci/release.mjs --prepare    writes the addresses of the repository into all public packages
 *     node .ci/release.mjs --check      fails if a package is not ready to be published
 *
 * The address is the field `repository` of the package.json in the root. Only the owner of the project knows it.
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseArgs, promisify } from "node:util";
import { ROOT, publicPackages, readJson } from "./packages.mjs";

const { values: options } = parseArgs({ options: { prepare: { type: "boolean" }, check: { type: "boolean" } } });
const faults = [];
const root = readJson("package.json");

/** The address of the repository for browsers, or null. */
function repositoryAddress() {
  const stated = typeof root.repository === "object" ? root.repository.url : root.repository;
  if (stated === undefined || stated === "") {
    faults.push(
      'package.json: the field "repository" is missing. Set it to the public address of this repository, ' +
        'such as "https://github.com/<owner>/<name>". It is written into all packages, and npm requires it for provenance.',
    );
    return null;
  }
  const address = stated.replace(/^git\+/, "").replace(/\.git$/, "");
  if (!/^https:\/\/[\w.-]+(?:\/[\w.-]+){2,}$/.test(address)) {
    faults.push(`package.json: "repository" is "${stated}", but must be like "https://github.com/<owner>/<name>".`);
    return null;
  }
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (server !== undefined && name !== undefined && address.toLowerCase() !== `${server}/${name}`.toLowerCase())
    faults.push(`package.json: "repository" is "${address}", but this workflow runs in ${server}/${name}.`);
  return address;
}

const addressFields = (address, directory) => ({
  repository: { type: "git", url: `git+${address}.git`, directory },
  bugs: `${address}/issues`,
  homepage: `${address}/tree/main/${directory}#readme`,
});

/** Each exported path and each command. */
function promisedFiles({ exports, bin }) {
  const paths = (value) => (typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(paths));
  return [...paths(exports), ...paths(bin)].map((path) => posix.normalize(path));
}

function checkManifest(folder, source, manifest, address) {
  const report = (text) => faults.push(`${folder}/package.json: ${text}`);
  for (const key of ["name", "description", "license", "engines", "files", "exports"])
    if (manifest[key] === undefined) report(`the field "${key}" is missing.`);
  for (const key of ["version", "license"])
    if (manifest[key] !== root[key]) report(`"${key}" is ${manifest[key]}, but the root has ${root[key]}.`);
  for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
    if (!name.startsWith("@sallyport/")) continue;
    if (version !== root.version) report(`it depends on ${name} ${version}, not on ${root.version}.`);
    if (!names.has(name)) report(`it depends on ${name}, which is private.`);
  }
  if (address === null) return;
  for (const [key, expected] of Object.entries(addressFields(address, source)))
    if (JSON.stringify(manifest[key]) !== JSON.stringify(expected))
      report(`"${key}" is not that of the root. Run "npm run release:prepare".`);
}

/** The sources that a map names without containing them and that are not packed either. */
function missingSources(folder, path, packed) {
  const { sources, sourcesContent = [], sourceRoot = "" } = JSON.parse(readFileSync(join(ROOT, folder, path), "utf8"));
  return sources.filter((source, index) => {
    const place = posix.join(posix.dirname(path), sourceRoot, source);
    return typeof sourcesContent[index] !== "string" && !packed.has(place);
  });
}

/** The maps of the server give stack traces the lines of its sources. With the text of all libraries they would be larger than the server. */
const MAPS_WITHOUT_SOURCES = ["apps/server/dist/package"];

async function checkTarball(folder, manifest) {
  const report = (text) => faults.push(`${folder}: ${text}`);
  const pack = ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"];
  const { stdout } = await promisify(execFile)("npm", pack, { cwd: join(ROOT, folder), maxBuffer: 1 << 26 });
  const [{ files }] = JSON.parse(stdout);
  const packed = new Set(files.map(({ path }) => path));
  for (const path of ["LICENSE", "README.md", ...promisedFiles(manifest)])
    if (!packed.has(path)) report(`the tarball has no ${path}.`);
  const license = join(ROOT, folder, "LICENSE");
  if (existsSync(license) && readFileSync(license, "utf8") !== readFileSync(join(ROOT, "LICENSE"), "utf8"))
    report("LICENSE is not that of the root.");
  for (const path of packed) {
    if (/\.test\.(?:d\.ts|[cm]?[jt]s)(?:\.map)?$|(?:^|\/)(?:test|__tests__)\/|\.tsbuildinfo$/.test(path))
      report(`the tarball has ${path}.`);
    if (
      path.endsWith(".map") &&
      !MAPS_WITHOUT_SOURCES.includes(folder) &&
      missingSources(folder, path, packed).length > 0
    )
      report(`the tarball has ${path} without its sources.`);
  }
}

/** A release has no changesets left, and its date is in the changelog. */
function checkChangelog() {
  const left = readdirSync(join(ROOT, ".changeset")).filter((name) => name.endsWith(".md") && name !== "README.md");
  if (left.length > 0)
    faults.push(`.changeset has ${left.length} changesets. Run "npm run release:version -- --release".`);
  const [, version, date] = /^## \[(.+?)\] - (.+)$/m.exec(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")) ?? [];
  if (version !== root.version)
    faults.push(`CHANGELOG.md begins with ${version}, but the packages have ${root.version}.`);
  else if (!/^\d{4}-\d{2}-\d{2}$/.test(date))
    faults.push(`CHANGELOG.md: ${version} is "${date}". Run "npm run release:version -- --release" to set the date.`);
}

const isBuilt = publicPackages.every(({ folder }) => existsSync(join(ROOT, folder, "package.json")));
if (!isBuilt) faults.push('The server is not built. Run "npm run build".');
const packages = publicPackages
  .filter(({ folder }) => existsSync(join(ROOT, folder, "package.json")))
  .map((each) => ({ ...each, manifest: readJson(`${each.folder}/package.json`) }));
const names = new Set(packages.map(({ manifest }) => manifest.name));
const address = repositoryAddress();

if (options.prepare === true && faults.length === 0) {
  for (const { folder, source, manifest } of packages)
    writeFileSync(
      join(ROOT, folder, "package.json"),
      `${JSON.stringify({ ...manifest, ...addressFields(address, source) }, null, 2)}\n`,
    );
  console.log(`${packages.length} packages have the address ${address}.`);
}
if (options.check === true) {
  checkChangelog();
  for (const { folder, source, manifest } of packages) {
    checkManifest(folder, source, manifest, address);
    await checkTarball(folder, manifest);
  }
  if (faults.length === 0) console.log(`${packages.length} packages are ready to be published as ${root.version}.`);
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`The release is refused: ${faults.length} faults.`);
  process.exitCode = 1;
}
