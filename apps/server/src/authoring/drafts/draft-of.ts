import { hookDrafts } from "./hook-drafts.ts";
import { macroDraft, macroTests } from "./macro-draft.ts";

export interface DraftRequest {
  readonly name: string;
  /** The event of a hook; `null` for a macro. */
  readonly hook: string | null;
  readonly classes: readonly string[];
  readonly language: "js" | "ts";
}

export interface DraftFile {
  readonly file: string;
  readonly text: string;
}

/** Events that there is a draft of a hook for. */
export const draftedHooks: readonly string[] = [...hookDrafts.keys()];

/** The files that a new macro or hook begins with. They work as they are. */
export function draftOf({ name, hook, classes, language }: DraftRequest): DraftFile[] {
  const file = `${name}.${language}`;
  if (hook === null) {
    return [
      { file, text: inLanguage(macroDraft, language) },
      { file: `${name}.test.json`, text: macroTests },
    ];
  }
  const text = hookDrafts.get(hook) ?? "";
  const listed = classes.map((each) => JSON.stringify(each.trim())).join(", ");
  return [
    {
      file,
      text: inLanguage(
        text.replace("CLASSES", () => `[${listed}]`),
        language,
      ),
    },
  ];
}

/** Lines that end in `// ts` are left out of JavaScript; drafts have no other types. */
function inLanguage(text: string, language: "js" | "ts"): string {
  const typed = /^(.*) \/\/ ts$/;
  const lines = text.split("\n").flatMap((line) => {
    const type = typed.exec(line)?.[1];
    if (type === undefined) return [line];
    return language === "ts" ? [type] : [];
  });
  return language === "ts" ? lines.join("\n") : lines.join("\n").replace(/(defineMacro)<\w+>/, "$1");
}
