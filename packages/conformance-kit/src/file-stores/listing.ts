import { equal, isTrue } from "../assert/index.ts";
import { concurrently } from "../fixtures/concurrently.ts";
import { allFiles, bytesOf, chunked, failingContent, holdsBytes, newName, stored } from "./contents.ts";
import { type FileStoreCheck, fileStoreChecksOf } from "./file-store-check.ts";

const [minute, day] = [60_000, 86_400_000];

export const listingChecks: readonly FileStoreCheck[] = fileStoreChecksOf("listing", {
  "answers an empty page without files": async ({ store }) => {
    for (const after of [null, "", newName()])
      equal(await store.list({ after, limit: 10 }), [], `the files after ${after}`);
  },

  "lists each file once, in the order of names, for any limit": async ({ store }) => {
    const [prefix, long] = [newName().slice(0, 2), newName().slice(0, 31)];
    const names = [
      ...Array.from({ length: 30 }, newName),
      ...Array.from({ length: 6 }, () => prefix + newName().slice(2)),
      ...["0", "9", "a", "f"].map((digit) => long + digit),
      "0".repeat(32),
      "f".repeat(32),
    ].toSorted();
    await concurrently(names.length, (index) => store.create(names[names.length - 1 - index] ?? ""));
    for (const limit of [1, 2, 7, names.length - 1, names.length, names.length + 1, 1_000])
      equal(await allFiles(store, limit), names, `the files in pages of ${limit}`);
  },

  "continues after a name that is not there": async ({ store }) => {
    const names = ["1", "3", "5", "7"].map((digit) => digit.repeat(32));
    for (const name of names) await store.create(name);
    const filesAfter = async (after: string) => (await store.list({ after, limit: 10 })).map(({ file }) => file);
    for (const [after, expected] of [
      ["0".repeat(32), names],
      ["1".repeat(32), names.slice(1)],
      ["1".repeat(31), names],
      [`${"1".repeat(31)}2`, names.slice(1)],
      ["4".repeat(32), names.slice(2)],
      ["7".repeat(32), []],
      ["f".repeat(32), []],
    ] as const)
      equal(await filesAfter(after), expected, `the files after ${after}`);
  },

  "lists files of interrupted writes": async ({ store, reopen }) => {
    const file = newName();
    await store.create(file);
    await store
      .write({ file, segment: newName() }, failingContent(bytesOf(200_000), new Error("lost")))
      .catch(() => {});
    equal(await allFiles(store), [file], "the files");
    equal(await allFiles(await reopen()), [file], "the files after opening it again");
  },

  "lists a file once, however many segments it has": async ({ store }) => {
    const { file } = await stored(store, bytesOf(10));
    for (let index = 0; index < 20; index += 1) await store.write({ file, segment: newName() }, chunked(bytesOf(10)));
    for (const limit of [1, 5, 100]) equal(await allFiles(store, limit), [file], `the files in pages of ${limit}`);
  },

  "omits and repeats no file while others come and go": async ({ store }) => {
    const staying = Array.from({ length: 20 }, newName);
    for (const name of staying) await store.create(name);
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await store.list({ after, limit: 3 });
      if (page.length === 0) break;
      seen.push(...page.map(({ file }) => file));
      after = seen.at(-1) ?? null;
      const visitors = Array.from({ length: 4 }, newName);
      for (const name of visitors) await store.create(name);
      for (const name of visitors.slice(1)) await store.remove({ file: name });
      isTrue(seen.length < 150, "The pages must end");
    }
    equal(seen, [...new Set(seen)].toSorted(), "the listed files");
    equal(
      staying.filter((name) => !seen.includes(name)),
      [],
      "the omitted files",
    );
  },

  "shows that a new file is young": async ({ store }) => {
    await store.create(newName());
    await stored(store, bytesOf(10));
    const page = await store.list({ after: null, limit: 10 });
    equal(page.length, 2, "number of files");
    for (const { age } of page) isTrue(age >= 0 && age < minute, `The age of a new file must not be ${age} ms`);
  },

  "shows the milliseconds since the last segment was added": {
    needs: "makeOlder",
    run: async ({ store, makeOlder }) => {
      const { file } = await stored(store, bytesOf(10));
      const young = await stored(store, bytesOf(10));
      const ageOf = async (name: string) =>
        (await store.list({ after: null, limit: 10 })).find((each) => each.file === name)?.age ?? Number.NaN;
      await makeOlder(file, day);
      const age = await ageOf(file);
      isTrue(age >= day - minute && age < day + minute, `The age must be a day, not ${age} ms`);
      isTrue((await ageOf(young.file)) < minute, "The age of another file must stay");
      await store.write({ file, segment: newName() }, chunked(bytesOf(10)));
      isTrue((await ageOf(file)) < minute, "A new segment must make the file young");
    },
  },

  "lists and reads the files of another instance": async ({ store, reopen }) => {
    const other = await reopen();
    const name = await stored(other, bytesOf(10));
    equal(await allFiles(store), [name.file], "the files");
    await holdsBytes(store, name, bytesOf(10), "the segment");
    await store.remove({ file: name.file });
    equal(await allFiles(other), [], "the files of the other instance");
  },

  "knows how many bytes it can still store, or answers null": async ({ store }) => {
    const free = await store.freeBytes();
    isTrue(free === null || (Number.isSafeInteger(free) && free >= 0), `The free bytes must not be ${free}`);
  },
});
