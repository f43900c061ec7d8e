import { Readable } from "node:stream";
import type { ObjectId, RecordValue, Repositories, SegmentName } from "@sallyport/storage";
import { detachedKind, fileKind, segmentKind, storedBytesKind } from "@sallyport/core";
import { byNewRecord, type Damage, type Damages } from "./damage.ts";
import { chunk, type Scene } from "./scene.ts";

const stray = "f".repeat(32);
const emptyFile = { size: 0, sha256: "", name: "", mediaType: null, key: null };

/** The file of the scene, by name in the store. */
const fileOf = async ({ r, ids }: Scene) =>
  (await r.records.list(fileKind, { owner: ids.file, after: null, limit: 1 }))[0];
const fileOfUpload = ({ records }: Scene) => records.upload.replaceAll("-", "");

/** Removes the first segment of a file. */
function withoutSegment(about: string, file: (scene: Scene) => Promise<string> | string, finding: RegExp): Damage {
  let lost: { readonly id: string; readonly owner: string | null; readonly value: RecordValue } | undefined;
  return {
    about,
    damage: async (scene) => {
      [lost] = await scene.r.records.list<RecordValue>(segmentKind as never, {
        owner: await file(scene),
        after: null,
        limit: 1,
      });
      await scene.r.records.remove(segmentKind, { ids: [lost?.id ?? ""] });
    },
    repair: async ({ r }) => {
      if (lost !== undefined)
        await r.records.put<RecordValue>(segmentKind as never, lost.id, lost.value, { owner: lost.owner });
    },
    finding,
  };
}

/** Removes the bytes of the first segment of a file. */
function withoutBytes(about: string, file: (scene: Scene) => Promise<string> | string, finding: RegExp): Damage {
  let lost: { readonly name: SegmentName; readonly bytes: Buffer } | undefined;
  return {
    about,
    damage: async (scene) => {
      const owner = await file(scene);
      const { files } = scene.database;
      const [record] = await scene.r.records.list(segmentKind, { owner, after: null, limit: 1 });
      const name = { file: owner, segment: record?.value.segment ?? "" };
      const bytes: Uint8Array[] = [];
      for await (const each of await files.read(name, { offset: 0, length: record?.value.length ?? 0 }))
        bytes.push(each);
      lost = { name, bytes: Buffer.concat(bytes) };
      await files.remove([name]);
    },
    repair: async ({ database }) => {
      if (lost === undefined) return;
      const { name, bytes } = lost;
      await database.files.write(name, Readable.from([bytes]));
    },
    finding,
  };
}

/** Writes a size that only the service writes. */
function resize({ objects }: Repositories, id: ObjectId, size: number): Promise<unknown> {
  const change = { id, attributes: { Size: size }, links: {}, expectedVersions: null };
  return objects.update([change], { session: null });
}

/** Damage of the records of files and uploads, and of their bytes. */
export const fileDamages: Damages = [
  [
    withoutSegment(
      "a file without a segment",
      async (scene) => (await fileOf(scene))?.id ?? "",
      new RegExp(`^bytes: The file of the object \\w+ has 0 of ${2 * chunk} bytes`),
    ),
    withoutBytes(
      "a file without bytes in the store",
      async (scene) => (await fileOf(scene))?.id ?? "",
      /^files: The bytes of the file \w+ are missing/,
    ),
    {
      about: "an object that describes other bytes",
      damage: ({ r, ids }) => resize(r, ids.file, 1),
      repair: ({ r, ids }) => resize(r, ids.file, 2 * chunk),
      finding: /^files: The object \w+ describes other bytes than its file/,
    },
    {
      about: "a file that the collector would remove",
      damage: async (scene) => scene.r.records.put(detachedKind, (await fileOf(scene))?.id ?? "", "kept"),
      repair: async (scene) => scene.r.records.remove(detachedKind, { ids: [(await fileOf(scene))?.id ?? ""] }),
      finding: /^bytes: The file of the object \w+ is due to be removed/,
    },
  ],
  [
    withoutBytes("an upload without bytes in the store", fileOfUpload, /^uploads: The upload \S+ lacks bytes/),
    withoutSegment("an upload without a segment", fileOfUpload, /^uploads: The upload \S+ lacks segments/),
  ],
  [
    byNewRecord("a file of no object", fileKind, {
      id: stray,
      owner: "ZZZZZZZZ",
      value: emptyFile,
      finding: /^bytes: The file f+ belongs to ZZZZZZZZ, which is not an object/,
    }),
    {
      about: "a file of an object that has none",
      damage: ({ r, ids }) => r.records.put(fileKind, stray, emptyFile, { owner: ids.ada }),
      repair: ({ r }) => r.records.remove(fileKind, { ids: [stray] }),
      finding: /^bytes: The object \w+ has a file, but objects of Customer have none/,
    },
    {
      about: "a second file of an object",
      damage: ({ r, ids }) => r.records.put(fileKind, stray, emptyFile, { owner: ids.file }),
      repair: ({ r }) => r.records.remove(fileKind, { ids: [stray] }),
      finding: /^bytes: The object \w+ has several files/,
    },
    byNewRecord("a segment of no file", segmentKind, {
      id: `${stray}/0000000000000001`,
      owner: stray,
      value: { segment: stray, length: 1 },
      finding: /^bytes: The segment \S+ belongs to no file/,
    }),
    byNewRecord("a segment of another file", segmentKind, {
      id: `${stray}/0000000000000001`,
      owner: "other",
      value: { segment: stray, length: 1 },
      finding: /^bytes: The segment \S+ belongs to other/,
    }),
  ],
  [
    byNewRecord("a count of bytes that no file has", storedBytesKind, {
      id: "z",
      value: 5,
      finding: /^bytes: The count of stored bytes is \d+ instead of \d+/,
    }),
  ],
  [
    byNewRecord("a file with an impossible name", detachedKind, {
      id: "../x",
      value: "kept",
      finding: /^bytes: \.\.\/x is not a name of a file/,
    }),
  ],
];
