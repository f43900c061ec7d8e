import { z } from "zod";

/** The format that is written, and the only one that is read. */
export const archiveFormat = 1;

const header = z.strictObject({
  sallyport: z.literal("archive"),
  format: z.number(),
  /** Of the product that has written it. */
  version: z.string(),
  /** Name of the database that it is of. */
  database: z.string(),
  writtenAt: z.string(),
  /** What was left out. */
  without: z.array(z.enum(["credentials", "keys"])),
});

/** The first line: where an archive comes from. It alone differs between archives of the same contents. */
export type ArchiveHeader = Omit<z.infer<typeof header>, "sallyport" | "format">;

export function headerLine(given: ArchiveHeader): string {
  return `${JSON.stringify({ sallyport: "archive", format: archiveFormat, ...given })}\n`;
}

/** The header that a line is; a text that says why it is none that can be read here. */
export function readHeader(line: string): ArchiveHeader | string {
  const value = jsonOf(line) as { readonly sallyport?: unknown; readonly format?: unknown } | null | undefined;
  if (value?.sallyport !== "archive") return "this is no archive of Sallyport.";
  if (value.format !== archiveFormat)
    return `the archive has the format ${JSON.stringify(value.format)}, and this version reads ${archiveFormat} only.`;
  const { data } = header.safeParse(value);
  return data ?? "the header of the archive is damaged.";
}

/** What a line says; `undefined` if it is no JSON. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
