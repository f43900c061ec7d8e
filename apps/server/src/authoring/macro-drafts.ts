import { readFileSync } from "node:fs";

/** Hook events with a draft file of the same name. */
export const draftedHooks: readonly string[] = [
  "xRestApi_BuildSerialization",
  "xRestApi_FindObjects",
  "xRestApi_DBCreateInit_xRestApiUserProvider",
  "xRestApi_Authenticate",
  "beforeSave",
  "afterSave",
  "beforeDelete",
  "afterDelete",
];

interface DraftRequest {
  readonly name: string;
  /** Event of a hook; `null` for a macro. */
  readonly hook: string | null;
  readonly classes: readonly string[];
  readonly language: "js" | "ts";
}

interface DraftFile {
  readonly file: string;
  readonly text: string;
}

/** Initial files of a new macro or hook. They work unchanged. */
export function draftOf({ name, hook, classes, language }: DraftRequest): DraftFile[] {
  const classList = classes.map((each) => JSON.stringify(each.trim())).join(", ");
  const source = templateFile(`${hook ?? "macro"}.ts`).replace('["Invoice"]', () => `[${classList}]`);
  const draft = { file: `${name}.${language}`, text: language === "ts" ? source : source.replaceAll(typeSyntax, "") };
  return hook === null ? [draft, { file: `${name}.test.json`, text: templateFile("macro.test.json") }] : [draft];
}

/** The TypeScript-only parts of a draft. */
const typeSyntax = /\ninterface \w+ \{[^}]*\}\n|(?<=defineMacro)<\w+>/g;

function templateFile(name: string): string {
  return readFileSync(new URL(`../../macros/template/${name}`, import.meta.url), "utf8");
}
