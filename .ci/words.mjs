/** Finds words that this project avoids, in pages and in comments of the source: `node .ci/words.mjs`. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const avoided = [
  "nobody|somebody|anybody|everybody|people",
  "who(so)?ever|whichever|whatever",
  "he|she|his|hers",
  "switch(ed|es)? (on|off)",
  "(is|are|was|were) to be",
].join("|");
const pattern = new RegExp(`(?<![\\w-])(${avoided})(?![\\w-])`, "i");
const isChecked = (file) => /^[^.].*(\.md|\/src\/.*\.tsx?)$/.test(file) && file !== "CHANGELOG.md";
const textOf = (line, isPage) => (isPage ? line : (/(^|\s)(\/\/|\/?\*\*?)\s.*/.exec(line)?.[0] ?? ""));

/** The places of such words below a folder. Code and quotes are left out. */
export function avoidedWords(folder) {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: folder, encoding: "utf8" });
  return files.split("\n").flatMap((file) => {
    const lines = isChecked(file) ? readFileSync(`${folder}/${file}`, "utf8").split("\n") : [];
    const texts = lines.map((line) => textOf(line, file.endsWith(".md")).replaceAll(/`[^`]*`|"[^"]*"/g, ""));
    return texts.flatMap((text, index) => (pattern.test(text) ? { file, line: index + 1, text: text.trim() } : []));
  });
}

if (import.meta.filename === process.argv[1]) {
  const found = avoidedWords(`${import.meta.dirname}/..`);
  for (const { file, line, text } of found) console.error(`${file}:${line}: ${text}`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
