import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { SallyportError } from "@sallyport/client";
import { download, upload } from "@sallyport/client/files";
import { expect } from "../../matchers/expect.ts";
import { NotApplicable } from "../../run/check.ts";
import { expectRefusal, inSection, type Journey } from "./journey.ts";

/** The codes for a server without files and a user without the right to create them. */
const notAllowed = new Set<number>([304, 404, 714]);

/** Uploads and downloads. */
export const fileChecks: Journey = (mode) => {
  const check = inSection("files", mode);
  return [
    check("returns the bytes of a file, in one piece and as a range", async (visit) => {
      const client = await visit.client(mode);
      const bytes = randomBytes(200_000);
      const name = `${visit.mark}.bin`;
      const file = await upload(client, new Blob([bytes]), { name, chunkSize: 65_536 }).catch((error: unknown) => {
        if (error instanceof SallyportError && notAllowed.has(error.code))
          throw new NotApplicable(`The user cannot create files (${error.code}).`);
        throw error;
      });
      visit.keep(file["~ObjectID"], client);
      expect(file).toMatchObject({ Name: name, Size: bytes.length });
      const received = await buffer(await download(client, file["~ObjectID"]));
      expect(received.equals(bytes)).toBe(true);
      const part = await client.requestBytes({
        path: `/v1/file/${file["~ObjectID"]}`,
        headers: { range: "bytes=10-19" },
      });
      expect(Buffer.from(part.bytes).equals(bytes.subarray(10, 20))).toBe(true);
      await visit.remove(file["~ObjectID"]);
      await expectRefusal(client.requestBytes({ path: `/v1/file/${file["~ObjectID"]}` }), 609);
    }),
  ];
};
