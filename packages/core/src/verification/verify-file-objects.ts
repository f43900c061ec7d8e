import { filePages } from "../files/index.ts";
import type { Model } from "../model/index.ts";
import { fileKind, isFileClass, type StoredFile } from "../objects/index.ts";
import { type Repositories, seesAll, type StoredObject } from "@sallyport/storage";
import { liveObject } from "./object-pages.ts";
import { atOneVersion } from "./at-one-version.ts";
import type { Violation } from "./violation.ts";

/** Compares the objects of files with the records of their bytes. The transaction of a file writes both. */
export async function* verifyFileObjects(r: Repositories, model: Model): AsyncGenerator<Violation, void, undefined> {
  const describes = (object: StoredObject | undefined, { size, sha256 }: StoredFile) => {
    if (object === undefined || !isFileClass(model, object.className)) return true;
    const { Size = size, Sha256 = sha256 } = object.attributes;
    return Size === size && Sha256 === sha256;
  };
  for await (const page of filePages(r.records)) {
    const owners = page.flatMap(({ owner }) => owner ?? []);
    const objects = await r.objects.get(owners, seesAll, Number.MAX_SAFE_INTEGER);
    const byId = new Map(objects.map((object) => [object.id, object]));
    for (const { id, owner } of page.filter((file) => !describes(byId.get(file.owner ?? ""), file.value))) {
      const finding = await atOneVersion(
        async () => (await r.records.get(fileKind, [id]))[0],
        async ({ value }) =>
          describes(await liveObject(r, owner ?? ""), value)
            ? null
            : `The object ${owner} describes other bytes than its file.`,
      );
      if (finding !== null) yield { invariant: "files", finding };
    }
  }
}
