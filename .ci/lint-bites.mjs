/**
 * Tests the lint rules. Each folder of `.ci/known-bad` is named after a rule and contains a miniature repository. The rule
 * must report every file named `bad…`, and no rule may report any other file.
 */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise } from "dependency-cruiser";
import { deadLinks } from "./markdown-links.mjs";
import { undeclaredImports } from "./declared-imports.mjs";
import { avoidedWords } from "./words.mjs";

const require = createRequire(import.meta.url);
const { forbidden, required, options } = require("../.dependency-cruiser.cjs");
const { resolution } = require("./workspace-sources.cjs");

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const KNOWN_BAD = join(ROOT, ".ci", "known-bad");
const OXLINT = join(ROOT, "node_modules", "oxlint", "bin", "oxlint");
/** Not a lint rule: `npm run docs:check` reports it. */
const LINKS = "dead-links";
const WORDS = "avoided-words";
const DECLARED = "declared-imports";
const OXLINT_CONFIG = join(ROOT, ".oxlintrc.json");
const { webpackConfig: _ofTheRealTree, ...cruiseOptions } = options;

/** @returns {Promise<{rule: string, file: string}[]>} */
async function cruiseReports(folder) {
  const groups = (await readdir(folder)).filter((name) => name === "packages" || name === "apps");
  const { output } = await cruise(
    groups,
    { ...cruiseOptions, baseDir: folder, ruleSet: { forbidden, required }, validate: true },
    resolution(folder),
  );
  return output.summary.violations.map(({ rule, from }) => ({ rule: rule.name, file: from }));
}

/** Oxlint resolves the globs of its configuration relative to the configuration's folder, hence the copy. */
async function oxlintReports(folder) {
  const copy = await mkdtemp(join(tmpdir(), "lint-bites-"));
  try {
    await cp(folder, copy, { recursive: true });
    await cp(OXLINT_CONFIG, join(copy, ".oxlintrc.json"));
    const printed = await new Promise((resolve) => {
      execFile(process.execPath, [OXLINT, "--format=json"], { cwd: copy }, (_error, stdout) => resolve(stdout));
    });
    return JSON.parse(printed).diagnostics.map(({ code, filename }) => ({
      rule: code.replace(/^.*\((?:.*\/)?(.*)\)$/, "$1"),
      file: filename,
    }));
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function wordReports(folder) {
  return avoidedWords(folder).map(({ file }) => ({ rule: WORDS, file }));
}

async function undeclaredReports(folder) {
  return undeclaredImports(folder).map(({ file }) => ({ rule: DECLARED, file }));
}

async function complaintsAbout(rule, reportsOf) {
  const folder = join(KNOWN_BAD, rule);
  const reports = await reportsOf(folder);
  const files = await readdir(folder, { recursive: true });
  const bad = files.filter((file) => /^bad[.-]/.test(basename(file)));
  const isBad = new Set(bad);
  return [
    ...(bad.length === 0 ? [`${rule}: no file called bad….`] : []),
    ...bad
      .filter((file) => !reports.some((report) => report.file === file && report.rule === rule))
      .map((file) => `${rule}: does not report ${file}`),
    ...reports
      .filter((report) => report.rule !== rule || !isBad.has(report.file))
      .map((report) => `${rule}: ${report.rule} reports ${report.file}`),
  ];
}

async function linkReports(folder) {
  return deadLinks(folder).map(({ file }) => ({ rule: LINKS, file }));
}

/** The oxlint rules with overrides: a wrong glob in an override would go unnoticed. */
async function oxlintRulesWithExceptions() {
  const withoutComments = (await readFile(OXLINT_CONFIG, "utf8")).replaceAll(/^\s*\/\/.*$/gm, "");
  const { rules, overrides } = JSON.parse(withoutComments);
  const lifted = overrides.flatMap((override) =>
    Object.keys(override.rules).filter((name) => override.rules[name] === "off"),
  );
  return lifted.filter((name) => name in rules).map((name) => basename(name));
}

const cruiserRules = new Set([...forbidden, ...required].map((rule) => rule.name));
const examples = await readdir(KNOWN_BAD);
const reporterOf = (rule) => {
  if (rule === LINKS) return linkReports;
  if (rule === WORDS) return wordReports;
  if (rule === DECLARED) return undeclaredReports;
  return cruiserRules.has(rule) ? cruiseReports : oxlintReports;
};
const withoutExample = [...cruiserRules, ...(await oxlintRulesWithExceptions())].filter(
  (rule) => !examples.includes(rule),
);
const complaints = withoutExample.map((rule) => `${rule}: no known-bad example`);
for (const rule of examples) {
  complaints.push(...(await complaintsAbout(rule, reporterOf(rule))));
}

for (const complaint of complaints) console.error(complaint);
if (complaints.length === 0) console.log(`Each of ${examples.length} rules bites.`);
process.exitCode = complaints.length > 0 ? 1 : 0;
