import { type ArchiveRecord, inParts } from "@sallyport/core";
import { ArchiveProgress } from "./archive-file.ts";

async function shown(isTTY: boolean, inWhole: boolean): Promise<string> {
  let text = "";
  const progress = new ArchiveProgress("Dumping", { isTTY, write: (more: string) => (text += more) });
  async function* records(): AsyncGenerator<ArchiveRecord> {
    yield {
      section: "settings",
      maintenance: false,
      modelGeneration: 1,
      macroGeneration: 0,
      objects: 1_000,
      lastObject: 0,
      lastAudit: 0,
    };
    yield { section: "links", id: "1", links: {} };
  }
  const seen: string[] = [];
  if (inWhole)
    for await (const part of progress.watch(inParts(records()))) seen.push(...part.map(({ section }) => section));
  else for await (const { section } of progress.watch(records())) seen.push(section);
  expect(seen).toEqual(["settings", "links"]);
  expect(progress).toMatchObject({ done: 0, settings: { objects: 1_000 } });
  return text;
}

test.each([true, false])("a terminal sees a bar, which is gone at the end", async (inWhole) => {
  expect(await shown(true, inWhole)).toBe(
    "\r\u001B[KDumping ························   0 %, 0 of 1,000 objects, 0/s\r\u001B[K",
  );
});

test.each([true, false])("nothing else sees anything", async (inWhole) => {
  expect(await shown(false, inWhole)).toBe("");
});
