/** Fails if a link or an anchor of a Markdown file of this repository is dead. */
import { fileURLToPath } from "node:url";
import { deadLinks, markdownFiles } from "./markdown-links.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dead = deadLinks(root);
for (const { file, line, target, reason } of dead) console.error(`${file}:${line}: ${target}: ${reason}`);
if (dead.length === 0) console.log(`The links of ${markdownFiles(root).length} Markdown files lead somewhere.`);
process.exitCode = dead.length > 0 ? 1 : 0;
