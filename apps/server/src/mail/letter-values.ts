import type { Letter, ProviderType } from "@sallyport/core";
import type { TemplateValues } from "./template.ts";

/** What each kind of letter can show, and what it must, in one of the ways given. */
export const letterKinds: ReadonlyMap<
  Letter["kind"],
  { readonly file: string; readonly names: readonly string[]; readonly required: readonly (readonly string[])[] }
> = new Map([
  [
    "passwordReset",
    { file: "password-reset", names: ["service", "name", "link", "token", "minutes"], required: [["link"], ["token"]] },
  ],
  ["passwordChanged", { file: "password-changed", names: ["service", "name"], required: [] }],
  ["accountLinked", { file: "account-linked", names: ["service", "name", "provider"], required: [] }],
  [
    "confirmationCode",
    { file: "confirmation-code", names: ["service", "name", "code", "minutes"], required: [["code"]] },
  ],
]);

/** As providers call themselves. */
const providerNames: Readonly<Record<ProviderType, string>> = {
  google: "Google",
  facebook: "Facebook",
  microsoft: "Microsoft",
  apple: "Apple",
};

export interface LetterFrame {
  /** How the service calls itself. */
  readonly service: string;
  /** The configured link with `{token}` and `{alias}` in it; `null`: there is none. */
  readonly resetLink: string | null;
}

/** What the places of a template are filled with. */
export function letterValues(letter: Letter, alias: string, { service, resetLink }: LetterFrame): TemplateValues {
  const common: [string, string | null][] = [
    ["service", inOneLine(service)],
    ["name", inOneLine(letter.name)],
  ];
  if (letter.kind === "passwordChanged") return new Map(common);
  if (letter.kind === "accountLinked") return new Map([...common, ["provider", providerNames[letter.provider]]]);
  const minutes: [string, string] = ["minutes", String(letter.minutes)];
  if (letter.kind === "confirmationCode") return new Map([...common, minutes, ["code", inOneLine(letter.code)]]);
  const { token } = letter;
  const parts: ReadonlyMap<string, string> = new Map([
    ["{token}", token],
    ["{alias}", alias],
  ]);
  const link =
    resetLink?.replaceAll(/\{token\}|\{alias\}/g, (place) => encodeURIComponent(parts.get(place) ?? "")) ?? null;
  return new Map([...common, minutes, ["token", token], ["link", link]]);
}

/** Names come from elsewhere: no line of theirs is to look like one of the letter, and nothing in them is to hide. */
function inOneLine(text: string): string {
  const characters = [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim()];
  return characters.length <= 100 ? characters.join("") : `${characters.slice(0, 99).join("")}…`;
}
