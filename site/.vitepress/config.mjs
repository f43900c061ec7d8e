import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig } from "vitepress";
import { deadLinks, slugify } from "../../.ci/markdown-links.mjs";
import { diagrams } from "../diagrams.mjs";
import { features, hero, homeBody } from "../home.mjs";
import { linkedFiles, repositoryLinks } from "../links.mjs";
import { places, root, sidebars, unlisted } from "../navigation.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const forgotten = unlisted();
if (forgotten.length > 0) throw new Error(`site/navigation.mjs does not match the files: ${forgotten.join(", ")}`);

const dead = deadLinks(root);
if (dead.length > 0)
  throw new Error(`Dead links: ${dead.map(({ file, target }) => `${target} in ${file}`).join(", ")}`);

/** Copies the pages to their places on the site. From there, Vite finds the packages of this folder. */
const staged = join(root, "site/dist/pages");
rmSync(staged, { recursive: true, force: true });
for (const [file, place] of places) {
  const target = join(staged, `${place}.md`);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, file), target);
}

/** Marks inline code as plain text for Vue. Double braces in it are not expressions. */
function literalCode(md) {
  md.renderer.rules.code_inline = (tokens, index, _options, _env, self) =>
    `<code v-pre${self.renderAttrs(tokens[index])}>${md.utils.escapeHtml(tokens[index].content)}</code>`;
}

/** Shows indented code like fenced code. */
function indentedCode(md) {
  md.core.ruler.push("indented-code", ({ tokens }) => {
    for (const token of tokens) if (token.type === "code_block") Object.assign(token, { type: "fence", tag: "code" });
  });
}

const icon =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><path fill='%230f6b5c' d='M4 30V14a12 12 0 0 1 24 0v16h-7V15a5 5 0 0 0-10 0v15z'/></svg>";

export default defineConfig({
  title: "Sallyport",
  description: "An HTTP server in front of a business-object database.",
  lang: "en",
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${icon}` }]],
  srcDir: "dist/pages",
  outDir: "dist/site",
  cacheDir: "node_modules/.cache",
  metaChunk: true,
  markdown: {
    anchor: { slugify },
    // Braces in headings are parts of paths.
    attrs: { disable: true },
    config(md) {
      md.use(repositoryLinks);
      md.use(homeBody);
      md.use(diagrams);
      md.use(literalCode);
      md.use(indentedCode);
    },
  },
  vite: {
    build: { chunkSizeWarningLimit: 2_000 },
  },
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath === "index.md") Object.assign(frontmatter, { layout: "home", hero, features });
  },
  buildEnd({ outDir }) {
    for (const file of linkedFiles) cpSync(join(root, file), join(outDir, "files", file), { recursive: true });
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // A code finds its own page first and no similar numbers.
            boost: { title: 8, titles: 2, text: 1 },
            fuzzy: (term) => (/^\d+$/.test(term) ? false : 0.2),
          },
        },
      },
    },
    nav: [
      { text: "Guides", link: "/guides/objects", activeMatch: "/guides/" },
      { text: "API", link: "/reference/api" },
      { text: "Errors", link: "/reference/errors", activeMatch: "/reference/errors" },
      { text: version, link: "/changelog" },
    ],
    sidebar: sidebars(),
    outline: [2, 3],
    docFooter: { prev: "Previous page", next: "Next page" },
  },
});
