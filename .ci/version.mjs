/**
 * Moves the changesets to CHANGELOG.md. Raises the version of all packages if the current one is released, or if a changeset
 * needs a higher one.
 *
 *     node .ci/version.mjs              collects the changesets under "Unreleased"
 *     node .ci/version.mjs --release    also sets the date of the release
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, readJson, workspaces } from "./packages.mjs";

const { values: options } = parseArgs({ options: { release: { type: "boolean" } } });

const CHANGELOG = join(ROOT, "CHANGELOG.md");
const CHANGESETS = join(ROOT, ".changeset");
const KINDS = ["patch", "minor", "major"];
/** The sections of a version in the order of the changelog, and those for changesets without a heading. */
const SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
const SECTION_OF_KIND = { patch: "Fixed", minor: "Added", major: "Changed" };

const writeJson = (path, value) => writeFileSync(join(ROOT, path), `${JSON.stringify(value, null, 2)}\n`);

/** @returns {{file: string, kind: string, text: string}[]} */
function changesets() {
  return readdirSync(CHANGESETS)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => {
      const file = join(CHANGESETS, name);
      const [, head, text] = /^---\n([^]*?)^---\n([^]*)$/m.exec(readFileSync(file, "utf8")) ?? [];
      if (head === undefined) throw new Error(`.changeset/${name} is not a changeset.`);
      const kinds = Array.from(head.matchAll(/:\s*(\w+)$/gm), ([, kind]) => kind);
      return { file, kind: KINDS.findLast((kind) => kinds.includes(kind)) ?? "patch", text: text.trim() };
    });
}

/** The kind of change that led to a version. */
function kindOf(version) {
  const [, minor, patch] = version.split(".").map(Number);
  if (patch > 0) return "patch";
  return minor > 0 ? "minor" : "major";
}

/** Sets the version of the root and the versions in the lockfile to those of the packages. */
function alignVersions() {
  const { version } = readJson("packages/core/package.json");
  writeJson("package.json", { ...readJson("package.json"), version });
  const lockfile = readJson("package-lock.json");
  lockfile.version = version;
  lockfile.packages[""].version = version;
  for (const path of workspaces) {
    const manifest = readJson(`${path}/package.json`);
    const entry = lockfile.packages[path];
    entry.version = manifest.version;
    for (const key of ["dependencies", "devDependencies", "peerDependencies"])
      if (key in entry) entry[key] = manifest[key];
  }
  writeJson("package-lock.json", lockfile);
  return version;
}

/** Splits the text of a changeset by its headings, such as `### Fixed`. */
function entriesOf({ kind, text }) {
  const parts = `### ${SECTION_OF_KIND[kind]}\n${text}`.split(/^### (.+)\n/m).slice(1);
  return parts.flatMap((part, at) => {
    const entry = parts[at + 1]?.trim();
    if (at % 2 === 1 || entry === undefined || entry === "") return [];
    if (!SECTIONS.includes(part)) throw new Error(`A changeset has the heading "${part}". Use ${SECTIONS.join(", ")}.`);
    return [{ section: part, entry: /^[-*|]/.test(entry) ? entry : `- ${entry.replaceAll(/\n(?=\S)/g, "\n  ")}` }];
  });
}

/** Adds entries to the text of a version. */
function withEntries(text, entries) {
  const [intro, ...rest] = text.split(/^(?=### )/m);
  const sections = new Map(rest.map((each) => [/^### (.+)/.exec(each)[1], each.trim()]));
  for (const { section, entry } of entries)
    sections.set(section, sections.has(section) ? `${sections.get(section)}\n${entry}` : `### ${section}\n\n${entry}`);
  const place = ([name]) => (SECTIONS.includes(name) ? SECTIONS.indexOf(name) : SECTIONS.length);
  const known = rest.length > 0 ? [...sections] : [...sections].toSorted((a, b) => place(a) - place(b));
  return [intro.trim(), ...known.map(([, each]) => each)].filter(Boolean).join("\n\n");
}

const pending = changesets();
const [head, ...versions] = readFileSync(CHANGELOG, "utf8").split(/^(?=## \[)/m);
const [, current, state] = /^## \[(.+?)\] - (.+)\n/.exec(versions[0]);
const isOpen = state === "Unreleased";
const highest = KINDS.findLast((kind) => pending.some((each) => each.kind === kind));
const isHigher = versions.length > 1 && KINDS.indexOf(highest) > KINDS.indexOf(kindOf(current));
if (pending.length === 0 && !isOpen) {
  console.error(`There are no changesets, and ${current} is released. Nothing was changed.`);
  process.exit(1);
}

let version = current;
if (pending.length > 0 && (!isOpen || isHigher)) {
  execFileSync("npm", ["run", "--silent", "changeset", "--", "version"], { cwd: ROOT, stdio: "inherit" });
  version = alignVersions();
}
const body = withEntries(isOpen ? versions.shift().replace(/^.*\n/, "") : "", pending.flatMap(entriesOf));
const date = options.release === true ? new Date().toISOString().slice(0, 10) : "Unreleased";
writeFileSync(
  CHANGELOG,
  [head, `## [${version}] - ${date}\n\n${body}\n`, versions.length > 0 ? "\n" : "", ...versions].join(""),
);
for (const { file } of pending) if (existsSync(file)) rmSync(file);

console.log(`${pending.length} changesets are in CHANGELOG.md under ${version} (${date}).`);
if (version !== current) {
  const named = execFileSync("git", ["grep", "-lF", current, "--", "*.md", ":!CHANGELOG.md"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  console.log(`Run "npm run docs". Check the pages that name ${current}:\n${named}`);
}
