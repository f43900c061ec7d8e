import {
  fileStoreCheckAppliesTo,
  fileStoreChecks,
  fileStoreGroups,
  numberOfFileStoreChecks,
  runFileStoreCheck,
} from "@sallyport/conformance-kit";
import { fileStoreUnderTest } from "@sallyport/test-kit/files/file-store-under-test";
import { brokenContents, leaked } from "./file-stores/broken-contents.ts";
import { brokenListsAndReads } from "./file-stores/broken-lists-and-reads.ts";

const brokenFileStores = [...brokenContents, ...brokenListsAndReads];

/** The failure of a check with a broken store, `null` if it passes. */
async function failureOf(
  { fault, wrap }: Pick<(typeof brokenFileStores)[number], "fault" | "wrap">,
  name: string,
): Promise<string | null> {
  const check = fileStoreChecks.find((each) => each.name === name);
  if (check === undefined) throw new Error(`There is no check "${name}".`);
  try {
    await runFileStoreCheck(fileStoreUnderTest(fault, { wrap, timeLimit: 4_000 }), check);
    return null;
  } catch (error) {
    return String(error);
  }
}

afterEach(async () => {
  for (const handle of leaked.splice(0)) await handle.close();
});

describe("file store checks", () => {
  const cases = brokenFileStores.flatMap((each) => each.caughtBy.map((caughtBy) => ({ ...each, caughtBy })));

  test.each(cases)('$fault: fails "$caughtBy"', async ({ fault, wrap, caughtBy }) => {
    const failure = await failureOf({ fault, wrap }, caughtBy);
    // A failure of the check or of the store, not a mistake in either.
    expect(failure).toMatch(/^(?:ConformanceError|ServiceError): /);
  });

  test("each fails with a broken store", () => {
    const caught = new Set(brokenFileStores.flatMap(({ caughtBy }) => caughtBy));
    expect(fileStoreChecks.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([]);
  });

  test("have the declared number, unique names, and all groups", () => {
    expect(fileStoreChecks).toHaveLength(numberOfFileStoreChecks);
    expect(new Set(fileStoreChecks.map(({ name }) => name)).size).toBe(numberOfFileStoreChecks);
    expect(new Set(fileStoreChecks.map(({ group }) => group))).toEqual(new Set(fileStoreGroups));
  });

  test("leave out what needs a hook that the store lacks, and nothing else", () => {
    const { takeAway: _hook, ...underTest } = fileStoreUnderTest("without a hook");
    const left = fileStoreChecks.filter((check) => !fileStoreCheckAppliesTo(underTest, check));
    expect(left.filter(({ needs }) => needs !== "descriptors").map(({ name }) => name)).toEqual([
      "fails with 709 once the store is gone",
      "fails with 709 if the store goes during a write",
      "answers 707 to reads and ignores removals once the store is gone",
    ]);
  });
});
