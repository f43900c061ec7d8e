import { type MailLanguage, mailLanguages } from "@sallyport/core";

/** Of the languages that mail is written in, the one that `Accept-Language` likes best; `null` if it names none of them. */
export function mailLanguage(header: string | undefined): MailLanguage | null {
  const wanted = (header ?? "").split(",").flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const language = mailLanguages.find((each) => range === each || range.startsWith(`${each}-`));
    const quality = parameters
      .map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1])
      .find((text) => text !== undefined);
    return language === undefined ? [] : [{ language, weight: Number(quality ?? 1) }];
  });
  const [first] = wanted.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  return first?.language ?? null;
}
