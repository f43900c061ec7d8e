import { isEmptyDatabase } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { openArchive } from "./read-archive.ts";
import { checkedAnew, joined, read, streamed, written } from "../../test/sample-archive.ts";

let archive: string;
let lines: string[];

beforeAll(async () => {
  archive = await written();
  lines = archive.split("\n").slice(0, -1);
});

describe("an archive is refused, with the line", () => {
  /** The number of the first check line behind this one, and of the last before it. */
  const checkBehind = (number: number) =>
    lines.findIndex((line, index) => index >= number && line.startsWith('{"check":')) + 1;
  const checkBefore = (number: number) =>
    lines.findLastIndex((line, index) => index < number && line.startsWith('{"check":')) + 1;
  const grouped = (number: number) => number.toLocaleString("en");
  const altered = () =>
    `line ${grouped(checkBehind(41))}: lines were altered, lost or moved between line ${checkBefore(41) + 1} and here.`;

  const changed: readonly (readonly [string, () => string, () => string])[] = [
    ["that is empty", () => "", () => "line 1: the archive ends here."],
    ["that is something else", () => "id,name\n1,a\n", () => "line 1: this is no archive of Sallyport."],
    [
      "of another format",
      () => archive.replace('"format":2', '"format":3'),
      () => "line 1: the archive has the format 3, and this version reads 1 and 2 only.",
    ],
    [
      "whose header was altered",
      () => archive.replace('"database":"demo"', '"database":"demx"'),
      () => "line 1: the header was altered.",
    ],
    [
      "whose header lacks something",
      () => checkedAnew(lines.with(0, lines[0]?.replace('"version":"2.2.0",', "") ?? "")),
      () => "line 1: the header of the archive is damaged.",
    ],
    ["that ends behind its header", () => joined(lines.slice(0, 1)), () => "line 2: the archive ends here."],
    [
      "that is cut off between lines",
      () => joined(lines.slice(0, 700)),
      () => "line 701: the archive is cut off: its end is missing.",
    ],
    [
      "that is cut off within a line",
      () => archive.slice(0, -10),
      () => `line ${grouped(lines.length)}: the archive ends in the middle of this line.`,
    ],
    [
      "whose last line is missing",
      () => joined(lines.slice(0, -1)),
      () => `line ${grouped(lines.length)}: the archive is cut off: its end is missing.`,
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
      "that goes on",
      () => `${archive}{"section":"audit"}\n`,
      () => `line ${grouped(lines.length + 1)}: the archive goes on behind its end.`,
    ],
    [
      "that comes twice",
      () => archive + archive,
      () => `line ${grouped(lines.length + 1)}: the archive goes on behind its end.`,
    ],
    [
      "with a line that is no JSON",
      () => joined(lines.with(40, "{")),
      () => "line 41: this is no record of the section objects.",
    ],
    [
      "with an unknown member",
      () => checkedAnew(lines.with(40, lines[40]?.replace('"version": 1', '"version": 1, "more": 1') ?? "")),
      () => "line 41: this is no record of the section objects.",
    ],
    [
      "with an id that is none",
      () => checkedAnew(lines.with(40, lines[40]?.replace(/"id": "\w+"/, '"id": "0"') ?? "")),
      () => "line 41: this is no record of the section objects.",
    ],
    [
      "with a section that nobody knows",
      () => checkedAnew(lines.with(2, '{"section":"files"}')),
      () => "line 3: there is no such section.",
    ],
    [
      "without its first section",
      () => checkedAnew(lines.toSpliced(2, 1)),
      () => "line 3: a record belongs to no section.",
    ],
    [
      "whose sections were exchanged",
      () => checkedAnew([...lines.slice(0, 2), ...lines.slice(5, 8), ...lines.slice(2, 5), ...lines.slice(8)]),
      () => "line 6: the section settings stands in the wrong place.",
    ],
    [
      "with a record too few",
      () => checkedAnew(lines.toSpliced(40, 1)),
      () => `line ${grouped(lines.length - 2)}: the archive has not as many records as it says.`,
    ],
  ];

  test.each(changed)("%s", async (_title, make, message) => {
    await expect(read(make())).rejects.toMatchObject({ name: "ArchiveFault", message: message() });
  });
});

test("a storage keeps nothing of an archive that is cut off, wherever that is", async () => {
  const storage = new MemoryStorage();
  await storage.migrate();
  const ends = [3, 4, 8, 1_015, lines.length - 1];
  for (const end of ends) {
    const { records: cut } = await openArchive(streamed([Buffer.from(joined(lines.slice(0, end)))]));
    await expect(storage.archive.import(cut)).rejects.toMatchObject({ name: "ArchiveFault" });
    expect(await isEmptyDatabase(storage.repositories)).toBe(true);
  }
});
