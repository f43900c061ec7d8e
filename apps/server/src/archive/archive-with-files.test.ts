import fc from "fast-check";
import { isFullRun } from "@sallyport/test-kit/scope";
import {
  checkedAnew,
  file,
  header,
  read,
  records,
  streamed,
  written,
  writtenWithFiles,
} from "../../test/archives/sample-archive.ts";
import { openArchive } from "./read-archive.ts";

describe("an archive with files", () => {
  const firstRecords = records.slice(0, 3);
  const bytesOf = (seed: number, length: number) => Buffer.alloc(length, `${seed}\n"é`);

  /** The files of an archive, with their bytes; `null` for skipped ones. */
  async function filesOf(text: string, size: number, isSkipped: (index: number) => boolean = () => false) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < text.length; at += size) pieces.push(Buffer.from(text.slice(at, at + size)));
    const found: { id: string; bytes: Buffer | null }[] = [];
    for await (const record of (await openArchive(streamed(pieces))).records) {
      if (record.section !== "files") continue;
      const parts: Uint8Array[] = [];
      if (!isSkipped(found.length)) for await (const part of record.bytes) parts.push(part);
      found.push({ id: record.id, bytes: parts.length === 0 ? null : Buffer.concat(parts) });
    }
    return found;
  }

  test("has the bytes of any files, however they come, and however many are read", async () => {
    const files = fc.array(fc.tuple(fc.integer({ min: 1, max: 500_000 }), fc.integer({ min: 1, max: 300_000 })), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1_000, max: 400_000 }), fc.nat(15), async (pieces, size, skipped) => {
        const contents = pieces.map(([length], index) => bytesOf(index, length));
        const withPieces = (pieceOf: (index: number) => number) =>
          writtenWithFiles(
            contents.map((bytes, index) => file(index, bytes, pieceOf(index))),
            firstRecords,
          );
        const text = await withPieces((index) => pieces[index]?.[1] ?? 1);
        expect(text).toBe(await withPieces(() => 65_536));
        const isSkipped = (index: number) => ((skipped >> index) & 1) === 1;
        expect(await filesOf(text, size, isSkipped)).toEqual(
          contents.map((bytes, index) => ({ id: file(index, bytes).id, bytes: isSkipped(index) ? null : bytes })),
        );
      }),
      { numRuns: isFullRun ? 12 : 4 },
    );
  });

  test("is the archive without them, but for its format, their section and its end", async () => {
    const text = await writtenWithFiles([file(1, Buffer.from("abc"))]);
    const [head = "", ...plain] = (await written()).split("\n");
    expect(text).toContain(plain.slice(1, -4).join("\n"));
    expect(text.split("\n")[0]).toBe(head.replace('"format":4', '"format":5'));
    expect((await openArchive(streamed([Buffer.from(text)]))).header).toEqual({ ...header, files: true });
    const lines = text.split("\n").slice(-7);
    expect(lines).toEqual([
      '{"section":"files"}',
      `{"id": "${"1".padStart(32, "0")}", "owner": "1A0", "value": {"name": "é.txt", "size": 3, "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "mediaType": null}, "createdAt": 1}`,
      '"YWJj"',
      expect.stringMatching(/^\{"check":/),
      expect.stringMatching(/^\{"end":\{.*,"files":1\}\}$/),
      expect.stringMatching(/^\{"check":/),
      "",
    ]);
    expect(await read(text)).toEqual(records);
  });

  test("has a check within each mebibyte of bytes", async () => {
    const text = await writtenWithFiles([file(1, Buffer.alloc(5_000_000))], firstRecords);
    for (const block of text.split('{"check":')) expect(block.length).toBeLessThan(1_500_000);
  });

  describe("is refused", () => {
    const changes: readonly (readonly [string, (lines: string[]) => string[], string])[] = [
      ["with bytes too few", (lines) => lines.toSpliced(-4, 1), "these are not the bytes of the file."],
      ["with bytes too many", (lines) => lines.toSpliced(-3, 0, '"YWJj"'), "not a record of the section files."],
      [
        "with a line too long",
        (lines) => lines.toSpliced(-4, 1, `"${"A".repeat(900_000)}"`),
        "not the bytes of the file.",
      ],
      ["with a record instead of bytes", (lines) => lines.toSpliced(-4, 1, "{}"), "not the bytes of the file."],
      [
        "with an invalid name",
        (lines) => lines.map((line) => line.replace('{"id": "000', '{"id": "../')),
        "not a record of the section files.",
      ],
      ["in another format", (lines) => lines.with(0, lines[0]?.replace(":5", ":4") ?? ""), "the section is unknown."],
    ];
    test.each(changes)("%s", async (_how, change, message) => {
      const lines = (await writtenWithFiles([file(0, bytesOf(1, 500_000))], firstRecords)).split("\n").slice(0, -1);
      const expected = { name: "ArchiveFault", message: expect.stringContaining(message) };
      await expect(read(checkedAnew(change(lines)))).rejects.toMatchObject(expected);
    });

    test("wherever it is cut, and with any altered byte", async () => {
      const text = await writtenWithFiles([file(0, bytesOf(1, 3_000)), file(1, bytesOf(2, 10))], firstRecords);
      await fc.assert(
        fc.asyncProperty(fc.nat(text.length - 2), async (place) => {
          const other = text[place] === "A" ? "B" : "A";
          for (const damaged of [text.slice(0, place), text.slice(0, place) + other + text.slice(place + 1)])
            await expect(read(damaged)).rejects.toMatchObject({ name: "ArchiveFault" });
        }),
        { numRuns: isFullRun ? 100 : 40 },
      );
    });
  });
});
