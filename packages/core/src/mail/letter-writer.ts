import type { Letter, Mail } from "./mail.ts";

/** Port: the wording of mail. */
export interface LetterWriter {
  /** What a letter from the database with this alias says. */
  write(letter: Letter, alias: string): Pick<Mail, "subject" | "text" | "html">;
}
