import { type ArchivePart, type ArchiveRecord, type ArchiveSection, type RecordOf, secretKinds } from "@sallyport/core";

/** Milliseconds between two lines. */
const interval = 200;
const barLength = 24;

/** What is needed of standard error. */
interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Counts objects on their way, and shows a bar on a terminal, and nowhere else. */
export class ArchiveProgress {
  /** Objects that have passed. */
  done = 0;
  settings: RecordOf<"settings"> | null = null;
  private readonly start = performance.now();
  private shown = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly verb: string,
    private readonly stream: ProgressStream,
  ) {}

  /** Records, or parts of them, as they come. */
  async *watch<Given extends ArchiveRecord | ArchivePart>(stream: AsyncIterable<Given>): AsyncGenerator<Given> {
    try {
      for await (const given of stream) {
        const [first, records] = "section" in given ? [given, 1] : [given[0], given.length];
        if (first?.section === "settings") this.settings = first;
        if (first?.section === "objects") this.done += records;
        if (records > 1 || this.done % 256 === 0) this.show();
        yield given;
      }
    } finally {
      if (this.stream.isTTY === true) this.stream.write("\r\u001B[K");
    }
  }

  private show(): void {
    const now = performance.now();
    if (this.stream.isTTY !== true || now - this.shown < interval) return;
    this.shown = now;
    const total = this.settings?.objects ?? 0;
    const part = total === 0 ? 1 : Math.min(1, this.done / total);
    const bar = "█".repeat(Math.floor(part * barLength)).padEnd(barLength, "·");
    const rate = Math.round(this.done / Math.max(0.001, (now - this.start) / 1000));
    const counted = `${grouped(this.done)} of ${grouped(total)} objects`;
    this.stream.write(
      `\r\u001B[K${this.verb} ${bar} ${String(Math.floor(part * 100)).padStart(3)} %, ${counted}, ${grouped(rate)}/s`,
    );
  }
}

/** A whole number for people. */
export function grouped(number: number): string {
  return number.toLocaleString("en");
}

/** What can be left out of an archive, by sections; of records it is some kinds. */
const sectionsOf = {
  credentials: ["accounts", "appKeys", "customAccounts"],
  keys: [],
} as const satisfies { readonly [what: string]: readonly ArchiveSection[] };

export type LeftOut = keyof typeof sectionsOf;

/** The parts without those that are left out. */
export async function* withoutSecrets(
  parts: AsyncIterable<ArchivePart>,
  leftOut: readonly LeftOut[],
): AsyncGenerator<ArchivePart> {
  const sections = new Set<ArchiveSection>(leftOut.flatMap((what) => sectionsOf[what]));
  const kinds = new Set(leftOut.flatMap((what) => secretKinds[what]));
  const isKept = (record: ArchiveRecord) =>
    !sections.has(record.section) && !(record.section === "records" && kinds.has(record.kind));
  for await (const part of parts) {
    const kept = part.filter(isKept);
    if (kept.length > 0) yield kept;
  }
}
