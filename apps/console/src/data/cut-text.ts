/** The beginning of a long text, as lists get it. */
interface CutText {
  readonly "~Cut": string;
  /** Characters of the whole text. */
  readonly "~Length": number;
}

/** Characters of a text that a list asks for. */
export const listedCharacters = 300;

export const isCut = (value: unknown): value is CutText =>
  typeof value === "object" && value !== null && "~Cut" in value && "~Length" in value;

/** What a list shows of a text. */
export const beginningOf = (value: unknown): unknown => (isCut(value) ? `${value["~Cut"]}…` : value);
