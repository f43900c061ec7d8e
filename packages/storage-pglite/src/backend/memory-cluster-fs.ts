import { MemoryFS, type PGlite } from "@electric-sql/pglite";
import { filesOf } from "../cluster/tar-archive.ts";

/** The used parts of the compiled database's file system. */
interface CompiledModule {
  readonly ENV: { readonly PGDATA: string };
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, data: Uint8Array, options: { readonly canOwn: true }): void;
  };
}

/** PGlite's file system in memory, with the files of an archive. It takes their memory, where PGlite copies them twice. */
export class MemoryClusterFS extends MemoryFS {
  constructor(private readonly archive: Uint8Array) {
    super();
  }

  override async initialSyncFs(): Promise<void> {
    // PGlite has set it before.
    const { ENV, FS } = (this.pg as PGlite).Module as unknown as CompiledModule;
    FS.mkdirTree(ENV.PGDATA);
    for (const { path, isDirectory, data } of filesOf(this.archive)) {
      const place = `${ENV.PGDATA}/${path}`;
      if (isDirectory) FS.mkdirTree(place);
      else FS.writeFile(place, data, { canOwn: true });
    }
  }
}
