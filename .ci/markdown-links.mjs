/** Reads the links and anchors of Markdown files, and finds the dead ones. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const SKIPPED = new Set(["node_modules", "dist", "coverage", "known-bad"]);

/** The Markdown files below a folder, relative to it. Hidden folders are left out, except `.github`. */
export function markdownFiles(root, folder = "") {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        const hidden = entry.name.startsWith(".") && entry.name !== ".github";
        return hidden || SKIPPED.has(entry.name) ? [] : markdownFiles(root, path);
      }
      return entry.name.endsWith(".md") ? [path] : [];
    })
    .toSorted();
}

/** The anchor of a heading, as GitHub makes it from the text. */
export function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, "")
    .replaceAll(/\s/gu, "-");
}

/** Blanks out code, so that its brackets and tags do not count. Offsets and lines stay the same. */
function withoutCode(text) {
  const blank = (code) => code.replaceAll(/[^\n]/g, " ");
  return text
    .replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\2[`~]* *$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/(?<!`)(`+)(?!`)([^\n]*?(?:\n(?!\n)[^\n]*?)*?)(?<!`)\1(?!`)/g, blank);
}

/** The anchors of a Markdown file: headings, and elements with an id. */
export function anchorsOf(text) {
  const prose = text.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\2[`~]* *$/gm, "");
  const anchors = new Set(Array.from(prose.matchAll(/<[a-z]+\s[^>]*\bid="([^"]+)"/g), ([, id]) => id));
  const counts = new Map();
  for (const [, heading] of prose.matchAll(/^ {0,3}#{1,6} +(.+?)(?: +#+)? *$/gm)) {
    const plain = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/<[^>]+>/g, "");
    const slug = slugify(plain);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** The targets of links and images in a Markdown file, each with its line. */
export function linksOf(text) {
  const prose = withoutCode(text);
  const patterns = [
    /\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g,
    /^ {0,3}\[[^\]^]+\]:\s*<?([^\s>]+)>?/gm,
    /<(?:a|img)\s[^>]*\b(?:href|src)="([^"]+)"/g,
  ];
  return patterns
    .flatMap((pattern) => Array.from(prose.matchAll(pattern), ({ 1: target, index }) => ({ target, index })))
    .map(({ target, index }) => ({ target, line: prose.slice(0, index).split("\n").length }))
    .toSorted((a, b) => a.line - b.line);
}

/**
 * The dead links of all Markdown files below a folder: targets that do not exist or leave the folder, unknown anchors, and
 * paths in code marks of `docs/architecture.md` that do not exist. Links to other hosts are not followed.
 */
export function deadLinks(root) {
  const anchors = new Map();
  const anchorsIn = (file) => {
    if (!anchors.has(file)) anchors.set(file, anchorsOf(readFileSync(join(root, file), "utf8")));
    return anchors.get(file);
  };
  return markdownFiles(root).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const links = linksOf(text).flatMap(({ target, line }) => {
      const reason = faultOf(root, file, target, anchorsIn);
      return reason === undefined ? [] : [{ file, line, target, reason }];
    });
    return DESCRIBES_TREE.test(file) ? [...links, ...deadPaths(root, file, text)] : links;
  });
}

/** The page that describes the tree: its paths in code marks must exist. */
const DESCRIBES_TREE = /^docs\/(?:\w+-)?architecture\.md$/;

/** Paths in code marks that name no file or folder. A path begins with a folder of the root, and can have `*` in its last part. */
function deadPaths(root, file, text) {
  const marks = text.matchAll(/`((?:packages|apps|docs|site|\.ci)\/[^`\s]+)`/g);
  return Array.from(marks, ({ 1: target, index }) => ({ target, line: text.slice(0, index).split("\n").length }))
    .filter(({ target }) => !target.includes("/dist/") && !hasPath(root, target))
    .map((dead) => ({ file, ...dead, reason: "there is no such path" }));
}

function hasPath(root, path) {
  if (!path.includes("*")) return existsSync(join(root, path));
  const [folder, name] = [join(root, dirname(path)), basename(path)];
  const pattern = new RegExp(`^${name.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);
  return existsSync(folder) && readdirSync(folder).some((each) => pattern.test(each));
}

function faultOf(root, file, target, anchorsIn) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  if (target.startsWith("/")) return "the path is absolute";
  const [path, anchor] = decodeURI(target).split("#", 2);
  const found = path === "" ? file : join(dirname(file), path);
  if (found.startsWith("..")) return "the path leaves the repository";
  if (!existsSync(join(root, found))) return "there is no such file";
  if (anchor === undefined) return undefined;
  if (!found.endsWith(".md") || !statSync(join(root, found)).isFile()) return "only Markdown files have anchors";
  return anchorsIn(found).has(anchor) ? undefined : "there is no such anchor";
}
