import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArchiveRecord, canonicalJson, inChunks } from "@sallyport/storage";
import { isEmptyDatabase } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import {
  checkedAnew,
  header,
  joined,
  object,
  read,
  records,
  streamed,
  written,
} from "../../test/archives/sample-archive.ts";
import { ArchiveProgress } from "../command-line/progress.ts";
import { saveArchive, withoutFiles } from "./archive-file.ts";
import { openArchive } from "./read-archive.ts";

async function shown(isTTY: boolean, inWhole: boolean): Promise<string> {
  let text = "";
  const progress = new ArchiveProgress("Dumping", { isTTY, write: (more: string) => (text += more) });
  async function* twoRecords(): AsyncGenerator<ArchiveRecord> {
    yield {
      section: "settings",
      maintenance: false,
      modelGeneration: 1,
      macroGeneration: 0,
      objects: 1_000,
      lastObject: 0,
      lastAudit: 0,
      sweptStamp: 0,
    };
    yield { section: "links", id: "1", links: {} };
  }
  const seen: string[] = [];
  if (inWhole)
    for await (const part of progress.watch(inChunks(twoRecords()))) seen.push(...part.map(({ section }) => section));
  else for await (const { section } of progress.watch(twoRecords())) seen.push(section);
  expect(seen).toEqual(["settings", "links"]);
  expect(progress).toMatchObject({ done: 0, settings: { objects: 1_000 } });
  return text;
}

test.each([true, false])("a terminal shows a progress bar, which is removed at the end", async (inWhole) => {
  expect(await shown(true, inWhole)).toBe(
    "\r\u001B[KDumping ························   0 %, 0 of 1,000 objects, 0/s\r\u001B[K",
  );
});

test.each([true, false])("nothing is printed without a terminal", async (inWhole) => {
  expect(await shown(false, inWhole)).toBe("");
});

test("an archive is saved after an interrupted save", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-save-"));
  const file = join(folder, "archive.ndjson");
  await writeFile(`${file}.partial`, "a part");
  await saveArchive(file, streamed([Buffer.from("the whole")]));
  expect(await readFile(file, "utf8")).toBe("the whole");
  expect(await readdir(folder)).toEqual(["archive.ndjson"]);
  await rm(folder, { recursive: true });
});

describe("read archive", () => {
  let archive: string;
  let lines: string[];

  beforeAll(async () => {
    archive = await written();
    lines = archive.split("\n").slice(0, -1);
  });

  test("reads what was written, in pieces of any size", async () => {
    expect((await openArchive(streamed([Buffer.from(archive)]))).header).toMatchObject(header);
    expect(await read(archive)).toEqual(records);
    expect(await read(archive, 1_021)).toEqual(records);
    expect(await read(joined(lines.slice(0, 8)).concat(joined(lines.slice(8))), 7)).toEqual(records);
  });

  test("reads objects in another notation", async () => {
    const isObject = (line: string) => line.startsWith('{"id": "A"') && line.includes('"stamp": 10,');
    const changes: readonly ((line: string) => string)[] = [
      (line) => JSON.stringify(JSON.parse(line)),
      (line) => `${line} `,
      (line) => line.replace(/^\{(.*), ("attributes": \{.*\})\}$/, "{$2, $1}"),
      (line) => line.replace('"attributes": ', '"attributes": {}, "attributes": '),
    ];
    for (const change of changes) {
      const changed = lines.map((line) => (isObject(line) ? change(line) : line));
      expect(changed).not.toEqual(lines);
      const found = await read(checkedAnew(changed));
      const asValues = (all: readonly ArchiveRecord[]) =>
        all.map((record) =>
          "stamp" in record && record.attributes !== null
            ? { ...record, attributes: JSON.parse(record.attributes) as unknown }
            : record,
        );
      expect(asValues(found)).toEqual(asValues(records));
    }
  });

  test("reads objects of any size unchanged", async () => {
    const large = [1, 700_000, 3_000_000].map(
      (length, index): ArchiveRecord =>
        ({ ...object(index + 1), attributes: canonicalJson({ Text: "\u20ac".repeat(length) }) }) as ArchiveRecord,
    );
    expect(await read(await written(large))).toEqual(large);
  });

  test("every line is canonical JSON, and followed by a check within a thousand lines", () => {
    const isControl = (line: string) => /^\{"(?:check|section|end)":/.test(line);
    const others = lines.slice(1).filter((line) => !isControl(line));
    expect(others).toHaveLength(records.length);
    for (const line of others) expect(line).toBe(canonicalJson(JSON.parse(line)));
    const gaps = lines.map((line, index) => (line.startsWith('{"check":') ? index : -1)).filter((index) => index >= 0);
    expect(Math.max(...gaps.map((place, index) => place - (gaps[index - 1] ?? 0)))).toBeLessThanOrEqual(1_002);
    expect(gaps.at(-1)).toBe(lines.length - 1);
  });

  test("app keys of an earlier version have no return addresses", async () => {
    const earlier = lines.map((line) => line.replace(', "returnAddresses": []', ""));
    expect(earlier).not.toEqual(lines);
    expect(await read(checkedAnew(earlier))).toEqual(records);
  });

  test("reads an empty archive", async () => {
    const empty = await written([]);
    expect(await read(empty)).toEqual([]);
  });

  test("omits excluded sections", async () => {
    const sections = (text: string) => [...text.matchAll(/^\{"section":"(\w+)"\}$/gm)].map(([, name]) => name);
    const all = [
      "settings",
      "classes",
      "appKeys",
      "objects",
      "links",
      "tombstones",
      "accounts",
      "records",
      "audit",
      "tallies",
    ];
    expect(sections(archive)).toEqual(all);
    const bare = await written(records, ["credentials", "keys"]);
    expect(sections(bare)).toEqual(all.filter((name) => !["appKeys", "accounts"].includes(name)));
    const secret = ["keyRing", "secondFactor"];
    const isLeftOut = (record: ArchiveRecord) =>
      ["appKeys", "accounts"].includes(record.section) ||
      (record.section === "records" && secret.includes(record.kind));
    expect(await read(bare)).toEqual(records.filter((record) => !isLeftOut(record)));
    expect(records.filter(isLeftOut)).toHaveLength(4);
  });

  test("an archive of an earlier version does not record who recycled an object", async () => {
    const former = lines.map((line) => line.replace(/, "deletedBy": (null|"1")/, ""));
    expect(former).not.toEqual(lines);
    const { records: found } = await openArchive(streamed([Buffer.from(checkedAnew(former))]));
    const deleted: unknown[] = [];
    for await (const record of found) if (record.section === "tombstones") deleted.push(record.deletedBy);
    expect(deleted).toEqual([null, null]);
  });
});

describe("refused archives", () => {
  let archive: string;
  let lines: string[];

  beforeAll(async () => {
    archive = await written();
    lines = archive.split("\n").slice(0, -1);
  });

  describe("an archive is refused with the line", () => {
    /** The number of the first check line after this one, and of the last before it. */
    const checkBehind = (number: number) =>
      lines.findIndex((line, index) => index >= number && line.startsWith('{"check":')) + 1;
    const checkBefore = (number: number) =>
      lines.findLastIndex((line, index) => index < number && line.startsWith('{"check":')) + 1;
    const grouped = (number: number) => number.toLocaleString("en");
    const altered = () =>
      `Line ${grouped(checkBehind(41))}: the checksum does not match. A line between line ${checkBefore(41) + 1} and this one was altered, lost or moved.`;

    const changed: readonly (readonly [string, () => string, () => string])[] = [
      ["that is empty", () => "", () => "Line 1: the archive is truncated."],
      ["that is something else", () => "id,name\n1,a\n", () => "Line 1: this is not a Sallyport archive."],
      [
        "of another format",
        () => archive.replace('"format":4', '"format":6'),
        () => "Line 1: the archive has the format 6. This version reads 1 to 5.",
      ],
      ...["formerReaders", "sweptObjects"].map(
        (section) =>
          [
            `of an earlier format with the section ${section}`,
            () =>
              checkedAnew(
                lines
                  .with(0, lines[0]?.replace('"format":4', '"format":2') ?? "")
                  .toSpliced(-3, 0, JSON.stringify({ section })),
              ),
            () => `Line ${grouped(lines.length - 2)}: the section is unknown.`,
          ] as const,
      ),
      [
        "whose header was altered",
        () => archive.replace('"database":"demo"', '"database":"demx"'),
        () => "Line 1: the header was altered.",
      ],
      [
        "whose header lacks something",
        () => checkedAnew(lines.with(0, lines[0]?.replace('"version":"2.2.0",', "") ?? "")),
        () => "Line 1: the header is damaged.",
      ],
      ["that ends after its header", () => joined(lines.slice(0, 1)), () => "Line 2: the archive is truncated."],
      ["that is cut off between lines", () => joined(lines.slice(0, 700)), () => "Line 701: the archive is truncated."],
      [
        "that is cut off within a line",
        () => archive.slice(0, -10),
        () => `Line ${grouped(lines.length)}: the archive is truncated in this line.`,
      ],
      [
        "whose last line is missing",
        () => joined(lines.slice(0, -1)),
        () => `Line ${grouped(lines.length)}: the archive is truncated.`,
      ],
      [
        "in which a value was altered",
        () => joined(lines.with(40, lines[40]?.replace('"version": 1', '"version": 2') ?? "")),
        altered,
      ],
      [
        "in which two lines were exchanged",
        () => joined(lines.with(40, lines[41] ?? "").with(41, lines[40] ?? "")),
        altered,
      ],
      [
        "in which a line is lost",
        () => joined(lines.toSpliced(40, 1)),
        () => altered().replace(grouped(checkBehind(41)), grouped(checkBehind(41) - 1)),
      ],
      [
        "with extra lines after its end",
        () => `${archive}{"section":"audit"}\n`,
        () => `Line ${grouped(lines.length + 1)}: the archive continues after its end.`,
      ],
      [
        "that is concatenated with itself",
        () => archive + archive,
        () => `Line ${grouped(lines.length + 1)}: the archive continues after its end.`,
      ],
      [
        "with a line of invalid JSON",
        () => joined(lines.with(40, "{")),
        () => "Line 41: this is not a record of the section objects.",
      ],
      [
        "with an unknown member",
        () => checkedAnew(lines.with(40, lines[40]?.replace('"version": 1', '"version": 1, "more": 1') ?? "")),
        () => "Line 41: this is not a record of the section objects.",
      ],
      [
        "with an invalid id",
        () => checkedAnew(lines.with(40, lines[40]?.replace(/"id": "\w+"/, '"id": "0"') ?? "")),
        () => "Line 41: this is not a record of the section objects.",
      ],
      [
        "with an unknown section",
        () => checkedAnew(lines.with(2, '{"section":"files"}')),
        () => "Line 3: the section is unknown.",
      ],
      [
        "without its first section",
        () => checkedAnew(lines.toSpliced(2, 1)),
        () => "Line 3: the record belongs to no section.",
      ],
      [
        "whose sections were exchanged",
        () => checkedAnew([...lines.slice(0, 2), ...lines.slice(5, 8), ...lines.slice(2, 5), ...lines.slice(8)]),
        () => "Line 6: the section settings is in the wrong place.",
      ],
      [
        "with a record too few",
        () => checkedAnew(lines.toSpliced(40, 1)),
        () => `Line ${grouped(lines.length - 2)}: the number of records does not match.`,
      ],
    ];

    test.each(changed)("%s", async (_title, make, message) => {
      await expect(read(make())).rejects.toMatchObject({ name: "ArchiveFault", message: message() });
    });
  });

  test("a storage stores nothing of a truncated archive, wherever it ends", async () => {
    const storage = new MemoryStorage();
    await storage.migrate();
    const ends = [3, 4, 8, 1_015, lines.length - 1];
    for (const end of ends) {
      const { records: cut } = await openArchive(streamed([Buffer.from(joined(lines.slice(0, end)))]));
      await expect(storage.archive.import(withoutFiles(cut))).rejects.toMatchObject({ name: "ArchiveFault" });
      expect(await isEmptyDatabase(storage.repositories)).toBe(true);
    }
  });
});
