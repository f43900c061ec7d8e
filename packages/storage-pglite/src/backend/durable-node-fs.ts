import { fdatasyncSync, fsyncSync } from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** The used parts of the compiled database's file system. */
interface CompiledModule {
  readonly FS: { isDir(mode: number): boolean };
  readonly NODEFS: {
    tryFSOperation<T>(operation: () => T): T;
    readonly stream_ops: {
      write(stream: OpenFile, buffer: Uint8Array, offset: number, length: number, position: number): number;
      fsync?: (stream: OpenFile) => number;
    };
  };
}

interface OpenFile {
  readonly nfd: number;
  readonly path: string;
  readonly node: { readonly mode: number };
}

/**
 * PGlite's directory file system with an fsync that reaches the disk. PGlite's own fsync reports success without doing
 * anything. Only fsync can be replaced, so `wal_sync_method` must be `fsync`.
 *
 * A file needs only its data and size (fdatasync), a directory everything. Errors become I/O errors of the database,
 * because PGlite would swallow a JavaScript exception.
 */
export class DurableNodeFS extends NodeFS {
  /** Bytes written to the write-ahead log since the start. */
  walBytes = 0;

  override async init(...parameters: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(...parameters);
    const install = (module: unknown): void => this.#install(module as CompiledModule);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), install] } };
  }

  #install({ FS, NODEFS }: CompiledModule): void {
    const operations = NODEFS.stream_ops;
    const write = operations.write.bind(operations);
    operations.fsync = ({ nfd, node }) => {
      NODEFS.tryFSOperation(() => (FS.isDir(node.mode) ? fsyncSync(nfd) : fdatasyncSync(nfd)));
      return 0;
    };
    operations.write = (stream, ...rest) => {
      const written = write(stream, ...rest);
      if (stream.path.includes("/pg_wal/")) this.walBytes += written;
      return written;
    };
  }
}
