import { equal, failsWith, isTrue } from "../assert/index.ts";
import { concurrently, sequentially } from "../fixtures/concurrently.ts";
import { codeOf } from "../fixtures/error-of.ts";
import {
  allFiles,
  bytesAt,
  bytesOf,
  chunked,
  hostileNames,
  holdsBytes,
  mebibyte,
  newName,
  sameBytes,
  stored,
} from "./contents.ts";
import { type FileStoreCheck, fileStoreChecksOf } from "./file-store-check.ts";

const firstByte = { offset: 0, length: 1 };

export const removingChecks: readonly FileStoreCheck[] = fileStoreChecksOf("removing", {
  "removes segments and keeps the others": async ({ store }) => {
    const file = newName();
    await store.create(file);
    const names = Array.from({ length: 9 }, () => ({ file, segment: newName() }));
    for (const [index, name] of names.entries()) await store.write(name, chunked(bytesOf(1_000, index + 1)));
    await store.remove(names.filter((_, index) => index % 2 === 0));
    for (const [index, name] of names.entries()) {
      if (index % 2 === 0) await failsWith(707, () => store.read(name, firstByte), "reading a removed segment");
      else await holdsBytes(store, name, bytesOf(1_000, index + 1), "a segment that stays");
    }
    equal(await allFiles(store), [file], "the files");
  },

  "removes a file with all its segments, and no other": async ({ store }) => {
    const [file, other] = [newName(), await stored(store, bytesOf(100))];
    await store.create(file);
    const names = await sequentially(Array.from({ length: 300 }, newName), async (segment) => {
      await store.write({ file, segment }, chunked(bytesOf(10)));
      return { file, segment };
    });
    await store.remove({ file });
    for (const name of names) await failsWith(707, () => store.read(name, firstByte), "reading a segment of it");
    equal(await allFiles(store), [other.file], "the files");
    await holdsBytes(store, other, bytesOf(100), "the segment of another file");
  },

  "removes a file without segments": async ({ store }) => {
    const file = newName();
    await store.create(file);
    await store.remove({ file });
    equal(await allFiles(store), [], "the files");
  },

  "ignores missing segments and files": async ({ store }) => {
    const name = await stored(store, bytesOf(100));
    await store.remove([]);
    await store.remove([
      { file: name.file, segment: newName() },
      { file: newName(), segment: name.segment },
    ]);
    await store.remove({ file: newName() });
    await holdsBytes(store, name, bytesOf(100), "the segment");
    await store.remove([{ file: name.file, segment: newName() }, name, { file: newName(), segment: newName() }, name]);
    await failsWith(707, () => store.read(name, firstByte), "reading the segment between missing ones");
  },

  "removes the same file and segments concurrently": async ({ store }) => {
    const [one, other] = [await stored(store, bytesOf(100)), await stored(store, bytesOf(100))];
    await concurrently(20, (index) => store.remove(index % 2 === 0 ? [one] : { file: other.file }));
    await failsWith(707, () => store.read(one, firstByte), "reading the removed segment");
    equal(await allFiles(store), [one.file], "the files");
  },

  "has no removed segment and file when it is opened again": async ({ store, reopen }) => {
    const [one, other] = [await stored(store, bytesOf(100)), await stored(store, bytesOf(100))];
    await store.remove([one]);
    await store.remove({ file: other.file });
    const again = await reopen();
    await failsWith(707, () => again.read(one, firstByte), "reading the removed segment");
    await failsWith(707, () => again.read(other, firstByte), "reading a segment of the removed file");
    equal(await allFiles(again), [one.file], "the files");
  },

  "ignores a text that is not a name, and removes nothing for it": async ({ store }) => {
    const name = await stored(store, bytesOf(100));
    const others = [name.file.slice(0, 2), name.file.slice(0, 31), name.file.toUpperCase(), `${name.file}/.`];
    for (const text of [...hostileNames, ...others].filter((each) => each !== name.file)) {
      await store.remove({ file: text });
      await store.remove([
        { file: text, segment: name.segment },
        { file: name.file, segment: text },
        { file: text, segment: text },
      ]);
      equal(await allFiles(store), [name.file], `the files after a removal of ${JSON.stringify(text)}`);
    }
    await holdsBytes(store, name, bytesOf(100), "the segment");
  },

  "gives readers the right bytes or 707 during a removal": async ({ store }) => {
    const bytes = bytesOf(mebibyte);
    for (const removesFile of [false, true]) {
      const name = await stored(store, bytes);
      const readings = concurrently(20, async (index) => {
        // Later readers start during and after the removal.
        for (let turn = 0; turn < index; turn += 1) await store.list({ after: null, limit: 1 });
        return codeOf(
          bytesAt(store, name, { offset: index, length: bytes.length - index }).then((read) =>
            sameBytes(read, bytes.subarray(index), "the bytes of a reader during the removal"),
          ),
        );
      });
      await store.list({ after: null, limit: 1 });
      await store.remove(removesFile ? { file: name.file } : [name]);
      for (const code of await readings) isTrue(code === 0 || code === 707, `A reader must not fail with ${code}`);
      await failsWith(707, () => store.read(name, firstByte), "reading after the removal");
    }
  },

  "removes a file during writes without harm to other files": async ({ store }) => {
    const other = await stored(store, bytesOf(100));
    const file = newName();
    await store.create(file);
    const names = Array.from({ length: 10 }, () => ({ file, segment: newName() }));
    const writes = Promise.all(names.map((name) => codeOf(store.write(name, chunked(bytesOf(300_000), 10_000)))));
    await store.list({ after: null, limit: 1 });
    await store.remove({ file });
    for (const code of await writes) isTrue(code === 0 || code === 702, `A write must not fail with ${code}`);
    await store.remove({ file });
    for (const name of names) await failsWith(707, () => store.read(name, firstByte), "reading a segment of the file");
    equal(await allFiles(store), [other.file], "the files");
    await holdsBytes(store, other, bytesOf(100), "the segment of another file");
  },
});
