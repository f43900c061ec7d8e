/** The pages of the site: one list for the sidebar, the navigation and the build. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { markdownFiles } from "../.ci/markdown-links.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

const guide = (name) => `docs/guides/${name}.md`;
const reference = (name) => `docs/reference/${name}.md`;
const numbered = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => /^\d.*\.md$/.test(name))
    .toSorted()
    .map((name) => `${folder}/${name}`);

/**
 * Groups of pages by title. `section`: the beginning of the paths whose sidebar has the group first. `hidden`: other
 * sidebars do not have it. `collapsed`: readers open it. Pages are files of the repository. The title of a page is its
 * first heading.
 */
export const groups = [
  {
    text: "Objects",
    pages: ["objects", "files", "queries", "serialization", "classes", "multi", "repeat-requests"].map(guide),
  },
  {
    text: "Clients and log-ins",
    pages: [
      "client",
      "browsers",
      "synchronisation",
      "offline",
      "secure-mode",
      "passwords",
      "two-factor",
      "custom-users",
      "devices",
      "identity-providers",
      "devices",
      "versions",
      "older-clients",
    ].map(guide),
  },
  {
    text: "Tests",
    pages: [
      "testing",
      "testing/runners",
      "testing/deployed-servers",
      "testing/other-languages",
      "testing/record",
      "testing/acceptance",
      "testing/devices",
      "testing/faults",
    ].map(guide),
  },
  { text: "Your code in the server", pages: ["macros", "hooks"].map(guide) },
  {
    text: "Operation",
    pages: [
      "deploy-on-postgres",
      "deploy-on-mariadb",
      "proxies",
      "several-databases",
      "operate",
      "scale",
      "limits",
      "licences",
      "administration",
      "licences",
      "limits",
      "cli",
      "console",
      "upgrade",
      "keys",
      "mail",
      "dump-and-restore",
    ].map(guide),
  },
  {
    text: "Reference",
    pages: [...["api", "administration-api", "configuration", "errors"].map(reference), "CHANGELOG.md"],
    section: "/reference/",
  },
  { text: "Error codes", pages: numbered("docs/reference/errors"), section: "/reference/", hidden: true },
  {
    text: "Storage adapters",
    pages: [
      guide("write-a-storage-adapter"),
      "packages/create-storage-adapter/README.md",
      "packages/conformance-kit/README.md",
    ],
  },
  {
    text: "Development",
    pages: [
      "docs/architecture.md",
      "docs/testing.md",
      "docs/benchmarks.md",
      "docs/glossary.md",
      "docs/decisions/README.md",
      "CONTRIBUTING.md",
      "CODE_OF_CONDUCT.md",
      "SECURITY.md",
    ],
  },
  { text: "Decisions", pages: numbered("docs/decisions"), section: "/decisions/", hidden: true },
  {
    text: "Packages",
    pages: [
      "core",
      "contract",
      "http",
      "client",
      "macros",
      "crypto",
      "identity-passport",
      "fake-identity-providers",
      "files-disk",
      "files-s3",
      "mail-smtp",
      "storage",
      "storage-knex",
      "storage-memory",
      "storage-pglite",
      "storage-sqlite",
      "testing",
    ].map((name) => `packages/${name}/README.md`),
    collapsed: true,
  },
];

/** The page that is the home page. */
export const home = "README.md";

/** The Markdown files of the repository that are not pages. */
const left = [
  "apps/cli/README.md",
  "apps/server/README.md",
  "packages/create-storage-adapter/template/",
  "packages/test-kit/",
  ".github/",
];

/** The path of a page on the site, without an extension. */
export function placeOf(file) {
  if (file === home) return "index";
  return file
    .replace(/^docs\//, "")
    .replace(/(?:^|\/)README\.md$/, (end) => (file.startsWith("packages/") ? "" : end.replace("README.md", "index")))
    .replace(/\.md$/, "")
    .toLowerCase();
}

const pages = groups.flatMap((group) => group.pages);

/** The pages of the site by their files, with the home page. */
export const places = new Map([home, ...pages].map((file) => [file, placeOf(file)]));

const files = new Map(Array.from(places, ([file, place]) => [`${place}.md`, file]));

/** The file of the repository for a page, by its path on the site. */
export function fileOf(page) {
  return files.get(page);
}

/** Markdown files that are neither pages nor left out, and pages that do not exist. The build fails if there are any. */
export function unlisted() {
  const found = markdownFiles(root).filter((file) => !left.some((each) => file.startsWith(each)));
  return [...found.filter((file) => !places.has(file)), ...[...places.keys()].filter((file) => !found.includes(file))];
}

export function titleOf(file) {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(join(root, file), "utf8")) ?? [];
  return title.replaceAll(/[`*]/g, "").replace(/^@sallyport\//, "");
}

/** The sidebars in the format of VitePress, by the beginning of the path. */
export function sidebars() {
  const linkOf = (file) => `/${placeOf(file).replace(/(^|\/)index$/, "$1")}`;
  const itemOf = ({ text, pages: own, collapsed = false }) => ({
    text,
    collapsed,
    items: own.map((file) => ({ text: titleOf(file), link: linkOf(file) })),
  });
  const sections = new Set(["/", ...groups.flatMap(({ section = [] }) => section)]);
  return Object.fromEntries(
    Array.from(sections, (section) => {
      const first = groups.filter((group) => group.section === section);
      const others = groups.filter((group) => group.section !== section && group.hidden !== true);
      return [section, [...first, ...others].map(itemOf)];
    }),
  );
}
