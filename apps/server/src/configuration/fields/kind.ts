import type { z } from "zod";

/** A kind of value that a configuration field can take. */
export interface Kind<Out> {
  /** As the reference calls it. */
  readonly type: string;
  /** Its refusals tell what is wanted and never repeat the value. */
  readonly schema: z.ZodType<Out>;
  /** What the file would hold instead of this text of an environment variable; the text itself if it makes no sense. */
  readonly fromText: (text: string) => unknown;
  /** The value as the file spells it. */
  readonly toFile: (value: Out) => unknown;
  /** What this text, standing in a file of the folder, or in an environment where it is the working directory, leads to. */
  readonly inFolder?: (text: string, folder: string) => string;
}

/** The refusal for whatever does not fit; a member that is absent where one is needed is told apart. */
export function refusal(wanted: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? `is required: ${wanted}` : `must be ${wanted}`) };
}

export const asIs = <T>(value: T): T => value;
