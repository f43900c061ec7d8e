import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { de } from "../src/language/de.ts";
import { en } from "../src/language/en.ts";

const folder = new URL("../src/", import.meta.url).pathname;
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !/^language\/..\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

/** The places of a pattern in the sources of the page. */
const placesOf = (pattern: RegExp) =>
  sources.flatMap(({ name, text }) => Array.from(text.matchAll(pattern), ([found]) => `${name}: ${found}`));

/** The texts of a language by their paths. Those with parameters get placeholders. */
function textsOf(texts: object, path = ""): [string, string][] {
  return Object.entries(texts).flatMap(([name, value]) => {
    const at = `${path}/${name}`;
    if (typeof value === "object") return textsOf(value as object, at);
    return [[at, String(typeof value === "function" ? value("§") : value)] as [string, string]];
  });
}

// The linter finds texts between tags.
test("attributes that a person sees or hears have texts of the catalogue", () => {
  expect(
    placesOf(/\b(?:label|title|placeholder|description|alt|aria-label|nothingFoundMessage)="[^"]*\p{L}[^"]*"/gu),
  ).toEqual([]);
});

test("no part of the page adds a style element", () => {
  expect(placesOf(/<(?:AppShell|Grid|SimpleGrid|style)\b/g)).toEqual([]);
  expect(placesOf(/=\{\{ *(?:base|xs|sm|md|lg|xl):/g)).toEqual([]);
  expect(placesOf(/\blockScroll(?:=\{true\}|\s)/g)).toEqual([]);
});

test("each language has all texts, and no text is that of another language by mistake", () => {
  const german = new Map(textsOf(de));
  const equal = textsOf(en).filter(([path, text]) => german.get(path) === text && text.split(" ").length > 2);
  expect([...german.keys()]).toEqual(textsOf(en).map(([path]) => path));
  expect(equal.map(([path]) => path)).toEqual([]);
  for (const [path, text] of [...german, ...textsOf(en)]) expect([path, text.trim()]).not.toEqual([path, ""]);
});

test("the page uses all texts", () => {
  const names = Object.entries(en).flatMap(([group, texts]) =>
    typeof texts === "string" ? [] : Object.keys(texts).map((name) => `texts.${group}.${name}`),
  );
  const used = new Set(placesOf(/\btexts\.\w+\.\w+/g).map((place) => place.split(": ").at(-1)));
  expect(names.filter((name) => !used.has(name))).toEqual([]);
});
