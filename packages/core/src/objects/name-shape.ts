import { confusableCharacters } from "./confusable-characters.ts";

/** Prototypes by the code points that look like them. */
let prototypes: ReadonlyMap<string, string> | undefined;

function readPrototypes(): ReadonlyMap<string, string> {
  const characterOf = (digits: string) => String.fromCodePoint(Number.parseInt(digits, 36));
  const entries = confusableCharacters.split(",").flatMap((group) => {
    const [target = "", sources = ""] = group.split("=");
    const prototype = target.split("+").map(characterOf).join("");
    let codePoint = 0;
    return sources.split("_").map((difference): [string, string] => {
      codePoint += Number.parseInt(difference, 36);
      return [String.fromCodePoint(codePoint), prototype];
    });
  });
  return new Map(entries);
}

/** Equal for texts that look alike in many fonts (the skeleton of UTS 39). */
export function skeletonOf(text: string): string {
  const byCharacter = (prototypes ??= readPrototypes());
  const visible = text.normalize("NFD").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return Array.from(visible, (character) => byCharacter.get(character) ?? character)
    .join("")
    .normalize("NFD");
}

/** The scripts in recommended use (UAX 31). All others count as one. */
const recommended = [
  ..."Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew".split(
    " ",
  ),
  ..."Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan".split(
    " ",
  ),
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, "u")] as const);

const ofNoScript = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** The scripts of a text, sorted and joined. Empty if all characters are of no script, such as digits. */
export function scriptsOf(text: string): string {
  const scripts = new Set<string>();
  for (const character of text.normalize("NFD"))
    if (!ofNoScript.test(character))
      scripts.add(recommended.find(([, script]) => script.test(character))?.[0] ?? "other");
  return [...scripts].toSorted().join(" ");
}

/** Whether names of equal skeletons are of different scripts. A name of no script differs from none. */
export function areOfDifferentScripts(one: string, other: string): boolean {
  return one !== "" && other !== "" && one !== other;
}
