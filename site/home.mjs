/** The home page: the beginning of the README as a hero, the rest below it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileOf, home, root } from "./navigation.mjs";

/** The first paragraph of the README. It says what the product is. */
function introduction() {
  const [, paragraph = ""] = /^# .+\n\n([\s\S]+?)\n\n/.exec(readFileSync(join(root, home), "utf8")) ?? [];
  return paragraph.replaceAll(/\s+/g, " ");
}

export const hero = {
  name: "Sallyport",
  text: "HTTP access to business objects",
  tagline: introduction(),
  actions: [
    { theme: "brand", text: "Start", link: "#start" },
    { theme: "alt", text: "Log in", link: "#log-in" },
    { theme: "alt", text: "API reference", link: "/reference/api" },
  ],
};

export const features = [
  {
    title: "Backend teams",
    details: "Read, query, change, lock and delete objects over HTTP, from any language or with the TypeScript client.",
    link: "/guides/objects",
    linkText: "Create and change objects",
  },
  {
    title: "Authors of storage adapters",
    details: "Support another database with a package of your own. The conformance kit checks it.",
    link: "/guides/write-a-storage-adapter",
    linkText: "Write a storage adapter",
  },
  {
    title: "QA engineers",
    details: "Each error code has a page with its causes, what to do, and the routes that return it.",
    link: "/reference/errors",
    linkText: "Error codes",
  },
];

/** A markdown-it plugin: drops what the hero shows from the body of the home page, its title and first paragraph. */
export function homeBody(md) {
  md.core.ruler.push("home-body", (state) => {
    if (fileOf(state.env.relativePath) !== home) return;
    const end = state.tokens.findIndex(({ type }) => type === "paragraph_close");
    state.tokens.splice(0, end + 1);
  });
}
