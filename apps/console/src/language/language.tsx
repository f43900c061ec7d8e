import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";

const languages = { en, de } satisfies Readonly<Record<string, Texts>>;

export type Language = keyof typeof languages;

export const languageNames = Object.entries(languages).map(([language, { name }]) => ({
  language: language as Language,
  name,
}));

const storageKey = "sallyport-console-language";

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(languages, text);

/** The language chosen before, else the first of the browser's that the console has. */
function initialLanguage(): Language {
  const stored = localStorage.getItem(storageKey);
  if (isLanguage(stored)) return stored;
  return navigator.languages.map((each) => each.slice(0, 2)).find(isLanguage) ?? "en";
}

interface LanguageChoice {
  readonly language: Language;
  readonly texts: Texts;
  choose(language: Language): void;
}

const LanguageContext = createContext<LanguageChoice | null>(null);

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(initialLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo(() => {
    const choose = (chosen: Language) => {
      localStorage.setItem(storageKey, chosen);
      setLanguage(chosen);
    };
    return { language, texts: languages[language], choose };
  }, [language]);
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageChoice {
  const choice = useContext(LanguageContext);
  if (choice === null) throw new Error("There is no LanguageProvider above.");
  return choice;
}

export const useTexts = (): Texts => useLanguage().texts;
