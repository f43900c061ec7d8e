import { cpSync } from "node:fs";
import { type EmbeddedEngine, openEmbeddedEngine } from "@sallyport/storage-pglite";
import { scratchDirectories } from "./scratch-directories.ts";

/** A database with the empty table `marks`, made once for a test file. */
export interface PreparedDatabase {
  /** Its dump. */
  readonly template: Blob;
  /** A new directory with a copy: unlike a directory made from the template, it costs no start of the engine. */
  newCopy(): Promise<string>;
}

/**
 * Makes the database before the tests of the file. It has small shared buffers: the start of an engine initializes all
 * of them.
 */
export function preparedDatabase(): PreparedDatabase {
  const newDirectory = scratchDirectories();
  let original: string;
  let template: Blob;
  beforeAll(async () => {
    original = await newDirectory();
    const engine = await openEmbeddedEngine({ dataDir: original, durable: false });
    await useSmallBuffers(engine);
    await engine.knex.raw("create table marks (id serial primary key, name text)");
    template = await engine.dump();
    await engine.close();
  }, 120_000);
  return {
    get template() {
      return template;
    },
    newCopy: async () => {
      const directory = await newDirectory();
      // The asynchronous copy of a thousand small files takes more than twice the CPU.
      cpSync(original, directory, { recursive: true });
      return directory;
    },
  };
}

/** Takes effect at the next start. */
export async function useSmallBuffers({ knex }: Pick<EmbeddedEngine, "knex">): Promise<void> {
  await knex.raw("alter system set shared_buffers = '8MB'");
}
