/** Links of the Markdown files, as the site needs them. */
import { posix } from "node:path";
import { fileOf, places } from "./navigation.mjs";

/** Files beside the pages that pages link to. The build copies them. */
export const linkedFiles = new Set();

/** The address on the site for a link in a file of the repository. `undefined` for other hosts and own anchors. */
export function addressOf(file, target) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith("#")) return undefined;
  const [path, anchor] = target.split("#", 2);
  const found = posix.join(posix.dirname(file), path);
  const place = places.get(found);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (place !== undefined) return { href: `/${place.replace(/(^|\/)index$/, "$1")}${hash}`, isPage: true };
  // Relative, because VitePress adds the base of the site to links of pages only.
  const up = "../".repeat((places.get(file) ?? "").split("/").length - 1) || "./";
  return { href: `${up}files/${found}`, isPage: false, found };
}

/** A markdown-it plugin: rewrites the links of a page before VitePress checks them. */
export function repositoryLinks(md) {
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    const file = fileOf(env.relativePath);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== "link_open") continue;
      rewrite(token, file);
    }
  });
}

function rewrite(token, file) {
  const address = addressOf(file, token.attrGet("href") ?? "");
  if (address === undefined) return;
  token.attrSet("href", address.href);
  if (address.isPage) return;
  linkedFiles.add(address.found);
  token.attrSet("target", "_blank");
}
