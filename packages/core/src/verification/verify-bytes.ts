import { detachedKind, type Segment, segmentKind, storedBytesKind } from "../files/index.ts";
import { canHaveBytes, fileKind, type StoredFile } from "../objects/index.ts";
import { isObjectId, objectIdOf, objectNumber, type RecordOf } from "@sallyport/storage";
import type { SnapshotObjects, ReportViolation } from "./snapshot-objects.ts";
import { Numbers } from "./number-list.ts";

type StoredRecord = RecordOf<"records">;

/**
 * Recomputes what must hold between the records of files, in the order of an archive. Each file has an object and all of its
 * bytes. The collector knows all other bytes. The count of bytes is their sum. Needs 24 bytes for each file.
 */
export class BytesVerifier {
  private readonly detached = new Numbers();
  private readonly files = { names: new Numbers(), sizes: new Numbers(), objects: new Numbers() };
  private readonly detachedAmongFiles = new Cursor(this.detached);
  private readonly detachedAmongSegments = new Cursor(this.detached);
  /** Place of the file whose segments are next. */
  private place = 0;
  /** Bytes of that file so far. */
  private arrived = 0;
  private bytes = 0;
  private counted = 0;

  constructor(
    private readonly objects: SnapshotObjects,
    private readonly report: ReportViolation,
  ) {}

  check(record: StoredRecord): void {
    switch (record.kind) {
      case detachedKind:
        this.detached.add(this.nameOf(record.id));
        break;
      case fileKind:
        this.checkFile(record);
        break;
      case segmentKind:
        this.checkSegment(record);
        break;
      case storedBytesKind:
        this.counted += Number(record.value);
    }
  }

  end(): void {
    this.completeBefore(Number.POSITIVE_INFINITY);
    for (const number of this.files.objects.repeated())
      this.report("bytes", `The object ${objectIdOf(number)} has several files.`);
    if (this.counted !== this.bytes)
      this.report("bytes", `The count of stored bytes is ${this.counted} instead of ${this.bytes}.`);
  }

  private checkFile({ id, owner, value }: StoredRecord): void {
    const name = this.nameOf(id);
    const object = owner !== null && isObjectId(owner) ? this.objects.find(owner) : undefined;
    const exists = object?.state === "live" || object?.state === "recycled";
    if (object === undefined) this.report("bytes", `The file ${id} belongs to ${owner}, which is not an object.`);
    if (exists && !canHaveBytes(this.objects.model, object.className))
      this.report("bytes", `The object ${owner} has a file, but objects of ${object.className} have none.`);
    if (exists && this.detachedAmongFiles.has(name))
      this.report("bytes", `The file of the object ${owner} is due to be removed.`);
    const { size } = value as unknown as StoredFile;
    this.files.names.add(name);
    this.files.sizes.add(size);
    this.files.objects.add(object === undefined ? -this.files.names.length : objectNumber(owner as string));
  }

  private checkSegment({ id, owner, value }: StoredRecord): void {
    const [file = "", end = ""] = id.split("/");
    const { length } = value as unknown as Segment;
    const name = this.nameOf(file);
    this.bytes += length;
    this.completeBefore(name);
    if (owner !== file) this.report("bytes", `The segment ${id} belongs to ${owner}.`);
    if (this.files.names.at(this.place) === name) {
      if (Number(end) - length === this.arrived) this.arrived += length;
    } else if (!this.detachedAmongSegments.has(name))
      this.report("bytes", `The segment ${id} belongs to no file, and no one will remove it.`);
  }

  /** Reports the files before a name that lack bytes. Their segments have passed. */
  private completeBefore(name: number): void {
    const { names, sizes, objects } = this.files;
    while (this.place < names.length && !(names.at(this.place) >= name)) {
      const [size, object] = [sizes.at(this.place), objects.at(this.place)];
      if (size !== this.arrived && object > 0)
        this.report("bytes", `The file of the object ${objectIdOf(object)} has ${this.arrived} of ${size} bytes.`);
      this.place += 1;
      this.arrived = 0;
    }
  }

  /** The first digits of a name, in the order of names. Names are random, so the digits of two of them differ. */
  private nameOf(file: string): number {
    if (!/^[0-9a-f]{32}$/.test(file)) this.report("bytes", `${file} is not a name of a file in the store.`);
    return Number.parseInt(file.slice(0, 13), 16) || 0;
  }
}

/** Looks up ascending numbers in an ascending list. */
class Cursor {
  private place = 0;

  constructor(private readonly numbers: Numbers) {}

  has(number: number): boolean {
    while (this.numbers.at(this.place) < number) this.place += 1;
    return this.numbers.at(this.place) === number;
  }
}
