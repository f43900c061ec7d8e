import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { wholeCommand } from "../src/commands/main-command.ts";
import { configurationFields } from "../src/configuration/index.ts";

const root = resolve(import.meta.dirname, "../../..");
const below = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
const pages = ["README.md", ...below.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];
const read = (page: string) => readFileSync(join(root, page), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => String(found));

const configurable = configurationFields().flatMap(({ env, secret }) =>
  env === null ? [] : secret ? [env, `${env}_FILE`] : [env],
);
const variables = new Set([...configurable, "NODE_ENV", "SALLYPORT_CONFIG", "BASE_URL", "MARIADB_URL", "APP_KEY"]);

const main = await wholeCommand();

/** What a documented command line asks for that the server's commands do not have. */
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

  test("links to nothing that is not there", () => {
    const links = all(text, /\]\((?!https?:)([^)#]+)[^)]*\)/g);
    expect(links.filter((link) => !existsSync(resolve(root, dirname(page), link)))).toEqual([]);
  });

  test("names no path that is not there", () => {
    const paths = all(text, /`((?:packages|apps|docs|\.ci|\.github)\/[\w./-]+)`/g);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("names no variable that the configuration does not know", () => {
    const named = all(text, /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g);
    expect(named.filter((name) => !variables.has(name))).toEqual([]);
  });

  test("shows no command that the server does not have", () => {
    const lines = all(text, /(?:^ *|`)(?:sallyport-server|node apps\/server\/dist\/main\.js) ([^`\n]+)/gm);
    expect(lines.flatMap(unknownIn)).toEqual([]);
  });
});

test("decisions are numbered one after the other", () => {
  const decisions = readdirSync(join(root, "docs/decisions")).toSorted();
  for (const [index, name] of decisions.entries()) {
    const number = index + 1;
    expect(name).toMatch(new RegExp(`^${String(number).padStart(4, "0")}-[a-z0-9-]+\\.md$`));
    expect(read(`docs/decisions/${name}`)).toMatch(new RegExp(`^# ${number}\\. `));
  }
});
