import type { ArchiveRecord } from "@sallyport/core";
import { ArchiveProgress } from "./archive-progress.ts";

async function shown(isTTY: boolean): Promise<string> {
  let text = "";
  const progress = new ArchiveProgress("Dumping", { isTTY, write: (more: string) => (text += more) });
  async function* records(): AsyncGenerator<ArchiveRecord> {
    yield { section: "settings", maintenance: false, modelGeneration: 1, macroGeneration: 0, objects: 1_000, lastObject: 0, lastAudit: 0 };
    yield { section: "links", id: "1", links: {} };
  }
  const seen: string[] = [];
  for await (const { section } of progress.watch(records())) seen.push(section);
  expect(seen).toEqual(["settings", "links"]);
  expect(progress).toMatchObject({ done: 0, settings: { objects: 1_000 } });
  return text;
}

test("a terminal sees a bar, which is gone at the end", async () => {
  expect(await shown(true)).toBe("\r\u001B[KDumping ························   0 %, 0 of 1,000 objects, 0/s\r\u001B[K");
});

test("nothing else sees anything", async () => {
  expect(await shown(false)).toBe("");
});
