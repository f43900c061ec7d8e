/** How many texts are looked at; each of them costs three digests for each factor. */
const most = 10;

/** The tokens that a text holds: one, or several with commas between them for app names that ask for one each. Blank is none. */
export function shownTokens(text: string | null): string[] {
  if (text === null || text.trim() === "") return [];
  return text.split(",", most);
}
