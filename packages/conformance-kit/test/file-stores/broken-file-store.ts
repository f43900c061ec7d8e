import type { open } from "node:fs/promises";
import { type FileStore, type SegmentName, ServiceError } from "@sallyport/storage";

/** A file store with one fault, and the checks that detect it. */
export interface BrokenFileStore {
  readonly fault: string;
  readonly caughtBy: readonly string[];
  /** Replaces a sound store in this directory. */
  readonly wrap: (store: FileStore, directory: string) => FileStore;
}

export function broken(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: (store: FileStore, directory: string) => Partial<FileStore>,
): BrokenFileStore {
  const wrap: BrokenFileStore["wrap"] = (store, directory) => ({
    create: (file) => store.create(file),
    write: (name, content) => store.write(name, content),
    read: (name, range) => store.read(name, range),
    remove: (names) => store.remove(names),
    list: (page) => store.list(page),
    freeBytes: () => store.freeBytes(),
    ...makeFault(store, directory),
  });
  return { fault, caughtBy: [caughtBy].flat(), wrap };
}

/** The error code of a failed call, 0 for errors without one. */
export const codeOf = (error: unknown): number => (error instanceof ServiceError ? error.code : 0);

export const isName = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

export const keyOf = ({ file, segment }: SegmentName): string => `${file}/${segment}`;

export async function collected(content: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return chunks;
}

/** The content with changed chunks. */
export async function* changed(
  content: AsyncIterable<Uint8Array>,
  change: (chunk: Uint8Array, index: number) => Uint8Array | undefined,
): AsyncGenerator<Uint8Array> {
  let index = 0;
  for await (const chunk of content) {
    const replaced = change(chunk, index);
    index += 1;
    if (replaced !== undefined) yield replaced;
  }
}

/** The chunks as a content. */
export async function* contentOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Descriptors that the broken stores left open. The test closes them. */
export const leaked: Awaited<ReturnType<typeof open>>[] = [];
