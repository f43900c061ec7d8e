import type { FileStore, SegmentName } from "@sallyport/storage";

/** An open store with files of its own. */
export interface OpenFileStore {
  readonly store: FileStore;
  /** Opens the same files again, as a server does after a restart. */
  reopen(): Promise<FileStore>;
  /** Closes the store and removes its files. */
  destroy(): Promise<void>;
}

/** A file store for the conformance checks. Optional methods enable more checks. */
export interface FileStoreUnderTest<Opened extends OpenFileStore = OpenFileStore> {
  /** The name in reports. */
  readonly name: string;

  /** Bytes of a segment in the memory checks, at least 64 MiB. Default: 256 MiB. */
  readonly largeSize?: number;

  /** The time limit of a check in milliseconds. Default: 60,000. */
  readonly timeLimit?: number;

  /** Creates an empty store for a check. */
  create(): Promise<Opened>;

  /** Takes the store itself away, such as its directory or bucket. Calls then fail with 709. */
  takeAway?(opened: Opened): Promise<void>;

  /** Makes the store unable to store more bytes in this file. Writes then fail with 702. */
  obstruct?(opened: Opened, file: string): Promise<void>;

  /** Cuts a stored segment to this length, as a damaged disk would. */
  shorten?(opened: Opened, name: SegmentName, length: number): Promise<void>;

  /** Makes the store believe that nothing was added to the file for this many milliseconds. */
  makeOlder?(opened: Opened, file: string, milliseconds: number): Promise<void>;

  /** Everything outside the store that a hostile name could reach, such as the paths beside its directory. */
  outside?(opened: Opened): Promise<readonly string[]>;
}

/** The optional methods. */
export type FileStoreHook = "takeAway" | "obstruct" | "shorten" | "makeOlder" | "outside";

/** The store under test, as a check sees it. A check uses only the hook that it needs. */
export interface FileStoreSubject {
  readonly store: FileStore;
  readonly reopen: () => Promise<FileStore>;
  readonly largeSize: number;
  readonly takeAway: () => Promise<void>;
  readonly obstruct: (file: string) => Promise<void>;
  readonly shorten: (name: SegmentName, length: number) => Promise<void>;
  readonly makeOlder: (file: string, milliseconds: number) => Promise<void>;
  readonly outside: () => Promise<readonly string[]>;
}

export function fileStoreSubject(underTest: FileStoreUnderTest, opened: OpenFileStore): FileStoreSubject {
  const missing = (hook: FileStoreHook) => new Error(`${underTest.name} has no ${hook}.`);
  return {
    store: opened.store,
    reopen: () => opened.reopen(),
    largeSize: underTest.largeSize ?? 268_435_456,
    takeAway: async () => {
      if (underTest.takeAway === undefined) throw missing("takeAway");
      await underTest.takeAway(opened);
    },
    obstruct: async (file) => {
      if (underTest.obstruct === undefined) throw missing("obstruct");
      await underTest.obstruct(opened, file);
    },
    shorten: async (name, length) => {
      if (underTest.shorten === undefined) throw missing("shorten");
      await underTest.shorten(opened, name, length);
    },
    makeOlder: async (file, milliseconds) => {
      if (underTest.makeOlder === undefined) throw missing("makeOlder");
      await underTest.makeOlder(opened, file, milliseconds);
    },
    outside: async () => {
      if (underTest.outside === undefined) throw missing("outside");
      return underTest.outside(opened);
    },
  };
}
