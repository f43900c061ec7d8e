/** Fails if a link or an anchor of a Markdown file of this repository is dead, or the site lacks a page. */
import { fileURLToPath } from "node:url";
import { unlisted } from "../site/navigation.mjs";
import { deadLinks, markdownFiles } from "./markdown-links.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dead = deadLinks(root);
for (const { file, line, target, reason } of dead) console.error(`${file}:${line}: ${target}: ${reason}`);
if (dead.length === 0) console.log(`The links of ${markdownFiles(root).length} Markdown files lead somewhere.`);
for (const file of unlisted())
  console.error(`${file}: site/navigation.mjs names a file that is gone, or not this page.`);
process.exitCode = dead.length + unlisted().length > 0 ? 1 : 0;
