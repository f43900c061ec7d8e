/**
 * Checks the words of the project: pages, the generated reference, texts, comments and names of the source, and titles of
 * tests. `.ci/prose/words.json` lists the words with better ones, and the places where a word is allowed.
 *
 *     node .ci/prose.mjs
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { paragraphsOf, paragraphsOfComment, plain } from "./prose/paragraphs.mjs";
import { tokensOf } from "./prose/tokens.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WORDS = new URL("prose/words.json", import.meta.url);

/** @typedef {{rule: string, file: string, line: number, word: string, better: string}} Finding */

/** The rules. Each has a folder in `.ci/known-bad`. */
export const proseRules = [
  "prose-words",
  "prose-relative-openers",
  "prose-sentence-length",
  "identifier-words",
  "file-name-words",
  "glossary-length",
  "readme-length",
  "decision-length",
];

/** Files of a bounded length. The examples of `.ci/known-bad` have a word before the name. */
const LENGTHS = [
  { rule: "glossary-length", files: /^docs\/(?:\w+-)?glossary\.md$/, counted: /^\| \*\*/gm, most: 40, unit: "words" },
  { rule: "readme-length", files: /^(?:\w+-)?README\.md$/, counted: /\n/g, most: 120, unit: "lines" },
  { rule: "decision-length", files: /^docs\/decisions\/(?!README)/, counted: /\n/g, most: 45, unit: "lines" },
];

/** The files below a folder as paths relative to the root, without builds and installed packages. */
function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return ["dist", "node_modules", "known-bad"].includes(entry.name) ? [] : filesBelow(root, path);
  });
}

/** The sentences of a paragraph with their lines. */
function sentencesOf({ text, line, isHeading }) {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/[.!?:]["')]*\s+(?=["'(]*[A-Z§])|[.;]\s+(?=\d{3}: )/g)) {
    const before = text.slice(0, index + 1);
    if (!/\b(?:e\.g|i\.e|etc|cf|vs)\.$/.test(before)) starts.push(index + end.length);
  }
  return starts.map((start, index) => ({
    text: text.slice(start, starts[index + 1]).trim(),
    line: line + (text.slice(0, start).match(/\n/g)?.length ?? 0),
    isHeading,
  }));
}

const wordsOf = (text) => text.split(/[\s—–]+/).filter((word) => /[\p{L}§]/u.test(word));
const splitName = (name) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((word) => word.toLowerCase()) ?? [];

const SQL =
  /\b(?:select|insert into|update \w+ set|delete from|from \w+ where|primary key|not null|jsonb?|for update|end if|begin|returning)\b[^.]*[=(,*;]|\bwhere \w+ =/i;

/** Texts that a person reads, not SQL, a path, a pattern or a list of names. */
function isSentence(text) {
  const words = text.split(/\s+/).filter((word) => /^["'(]?[A-Za-z][a-z]*["').,:;!?]*$/.test(word));
  const isMarkup = /<\/?[a-z]/.test(text);
  return words.length >= 3 && !isMarkup && !SQL.test(text);
}

/** Finds words and sentences in paragraphs, and words in names. */
export class Prose {
  #patterns;
  #names;
  #maxWords;
  #allowed;

  constructor({ text, identifiers, maxSentenceWords, allowed }) {
    const pattern = (words) => new RegExp(`(?<![\\w-])(?:${words.replaceAll(" ", "\\s+")})(?![\\w-])`, "gi");
    this.#patterns = Object.entries(text).map(([words, better]) => ({ pattern: pattern(words), better }));
    this.#names = new Map(
      Object.entries(identifiers).flatMap(([words, better]) => words.split("|").map((word) => [word, better])),
    );
    this.#maxWords = maxSentenceWords;
    this.#allowed = allowed;
  }

  /** Whether the word list allows the word in this file. */
  #isAllowed(file, word) {
    return this.#allowed.some((each) => each.word === word && (each.files === "*" || file.startsWith(each.files)));
  }

  /** @returns {Finding[]} */
  paragraphs(file, paragraphs) {
    const found = [];
    const report = (rule, line, word, better) => {
      if (!this.#isAllowed(file, word)) found.push({ rule, file, line, word, better });
    };
    for (const paragraph of paragraphs) {
      for (const { pattern, better } of this.#patterns) {
        for (const { index, 0: word } of paragraph.text.matchAll(pattern)) {
          const line = paragraph.line + (paragraph.text.slice(0, index).match(/\n/g)?.length ?? 0);
          report("prose-words", line, word.toLowerCase().replaceAll(/\s+/g, " "), better);
        }
      }
      for (const sentence of sentencesOf(paragraph)) {
        const opener =
          /^(?:what|whatever|who|whoever|whichever|that which|one (?:that|who|which)|those (?:that|who|which)|he who)\b/i.exec(
            sentence.text,
          )?.[0];
        const isStatement = !sentence.isHeading && /[.:;]["')]*$/.test(sentence.text);
        if (opener !== undefined && isStatement)
          report(
            "prose-relative-openers",
            sentence.line,
            sentence.text.replaceAll(/\s+/g, " ").slice(0, 30),
            "begin with the subject",
          );
        const length = wordsOf(sentence.text).length;
        if (length > this.#maxWords)
          report(
            "prose-sentence-length",
            sentence.line,
            `${sentence.text.replaceAll(/\s+/g, " ").slice(0, 30)}… (${length} words)`,
            `at most ${this.#maxWords} words`,
          );
      }
    }
    return found;
  }

  /** The words of a name that have a better one. */
  name(rule, file, line, name) {
    return splitName(name)
      .filter((word) => this.#names.has(word) && !this.#isAllowed(file, word) && !this.#isAllowed(file, name))
      .map((word) => ({ rule, file, line, word: `${name} (${word})`, better: this.#names.get(word) }));
  }
}

/** Joins comments of one line that follow one another, so that a sentence over several lines is one. */
function joined(tokens, source) {
  const result = [];
  for (const token of tokens) {
    const previous = result.at(-1);
    const isNext =
      previous?.kind === "comment" &&
      token.kind === "comment" &&
      previous.text.startsWith("//") &&
      token.text.startsWith("//") &&
      /^\n[ \t]*$/.test(source.slice(previous.start + previous.text.length, token.start));
    if (isNext) previous.text = source.slice(previous.start, token.start + token.text.length);
    else result.push({ ...token });
  }
  return result;
}

const isTest = (file) => /\.test\.ts$|\/test\//.test(file);
const isSource = (file) => /^(?:packages|apps)\/[^/]+\/(?:src|macros|template|bin)\/.*\.(?:ts|js|mjs)$/.test(file);
const SQL_FILES = /\/dialects\/[^/]+\/(?:functions|migrations)\//;
const TITLE = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\s*\(\s*$/;

/** The text of a literal or of a part of a template. */
function valueOf({ text }) {
  const inside = text.slice(1, text.endsWith("${") ? -2 : -1);
  return inside.replaceAll("\\n", " ").replaceAll(/\\(["'`])/g, "$1");
}

/** @returns {Finding[]} */
function findingsOfCode(prose, file, source) {
  const found = [];
  const lineStarts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineOf = (at) => {
    let low = 0;
    for (let high = lineStarts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (lineStarts[middle] <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const tests = isTest(file);
  const seen = new Set();
  if (!tests) found.push(...prose.name("file-name-words", file, 1, file.replace(/^.*\/src\//, "")));
  for (const token of joined(tokensOf(source), source)) {
    const line = lineOf(token.start);
    if (token.kind === "comment") {
      found.push(...prose.paragraphs(file, paragraphsOfComment(token.text, line)));
    } else if (token.kind === "text") {
      const text = valueOf(token);
      const isTitle = tests && TITLE.test(source.slice(Math.max(0, token.start - 200), token.start));
      if (isTitle || (!tests && isSentence(text) && !SQL_FILES.test(file))) {
        const paragraphs = text.includes("\n")
          ? paragraphsOf(text, line)
          : [{ text: plain(text), line, isHeading: tests }];
        found.push(...prose.paragraphs(file, paragraphs));
      }
    } else if (!tests && !seen.has(token.text)) {
      seen.add(token.text);
      found.push(...prose.name("identifier-words", file, line, token.text));
    }
  }
  return found;
}

/** The descriptions of the generated OpenAPI document. */
function findingsOfOpenApi(prose, file, text) {
  const found = [];
  for (const [index, line] of text.split("\n").entries()) {
    const [, literal] = /^\s*"(?:description|summary)": (".*"),?$/.exec(line) ?? [];
    if (literal === undefined) continue;
    const paragraphs = paragraphsOf(JSON.parse(literal)).map((each) => ({ ...each, line: index + 1 }));
    found.push(...prose.paragraphs(file, paragraphs));
  }
  return found;
}

/**
 * All findings of a repository.
 *
 * @returns {Finding[]}
 */
export function findingsIn(root, list) {
  const prose = new Prose(list);
  const read = (file) => readFileSync(join(root, file), "utf8");
  const top = readdirSync(root).filter((name) => name.endsWith(".md"));
  const below = ["docs", "packages", "apps", ".github", ".ci"].flatMap((folder) => filesBelow(root, folder));
  return [...top, ...below].flatMap((file) => {
    if (/^docs\/reference\/(?:administration-)?openapi\.json$/.test(file))
      return findingsOfOpenApi(prose, file, read(file));
    if (file.endsWith(".md")) {
      const text = read(file);
      const lengths = LENGTHS.filter(({ files }) => files.test(file)).flatMap(({ rule, counted, most, unit }) => {
        const count = text.match(counted)?.length ?? 0;
        return count > most ? [{ rule, file, line: 1, word: `${count} ${unit}`, better: `at most ${most}` }] : [];
      });
      return [...prose.paragraphs(file, paragraphsOf(text)), ...lengths];
    }
    if (file.startsWith(".ci/") ? file.endsWith(".mjs") : isSource(file) || (isTest(file) && file.endsWith(".ts")))
      return findingsOfCode(prose, file, read(file));
    return [];
  });
}

const isMain = process.argv[1] !== undefined && relative(process.argv[1], fileURLToPath(import.meta.url)) === "";
if (isMain) {
  const list = JSON.parse(readFileSync(WORDS, "utf8"));
  const findings = findingsIn(ROOT, list);
  for (const { file, line, word, better } of findings) console.error(`${file}:${line}: ${word} -> ${better}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
