import * as z from "zod";
import { objectParameters } from "./object-parameters.ts";

const byte = z.number().int().min(0);

/** State of an upload. */
export const uploadResponse = z
  .object({
    uploadId: z.string().describe("UUID of the upload, for the path of the following requests."),
    size: byte.describe("Number of bytes that the server has from the first one without a gap."),
    hash: z.string().describe("MD5 of these bytes, in lowercase hex digits."),
    ranges: z
      .array(z.object({ first: byte, last: byte }))
      .describe("All bytes that the server has. `last` is included. Ascending, neither overlapping nor adjacent."),
    expiresAt: z.string().describe("Time when the upload expires, `yyyyMMddTHHmmss+hh:mm`. Each chunk moves it."),
  })
  .meta({ id: "Upload" });

/** State of an upload. */
export type UploadData = z.infer<typeof uploadResponse>;

/** Query parameters that create the object of a file. */
export const storeParameters = objectParameters.extend({
  className: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Class of the new object: `File`, `Image` or a subclass of them. Defaults to `File`."),
});

/** Query parameters that name the file of an upload. */
export const descriptionParameters = z.object({
  name: z.string().optional().describe("Name of the file, for chunks that are no forms."),
  mediaType: z.string().optional().describe("Its media type, such as `text/plain`."),
});

/** Query parameters that finish an upload. */
export const finishParameters = storeParameters.extend(descriptionParameters.shape).extend({
  replaceOID: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      "Id or UUID of the object of class `File` or `Image` that gets the new bytes. Without it, an object is created.",
    ),
});

/** Body of `POST /v1/file/{idOrUuid}/link`. */
export const fileLinkRequest = z
  .object({
    expiresIn: z.number().int().min(1).max(3_600).default(300).describe("Seconds until the link expires."),
    session: z
      .boolean()
      .default(true)
      .describe(
        "Whether the link ends with the session. If not, it ends when its creator is banned or disabled, or gets another password.",
      ),
  })
  .meta({ id: "FileLinkRequest" })
  .prefault({});

export const fileLinkResponse = z
  .object({
    url: z
      .string()
      .describe("Address of the file. Without `server.publicUrl`, a path that starts at the root of the server."),
    expiresAt: z.string().describe("Time when the link expires, `yyyyMMddTHHmmss+hh:mm`."),
  })
  .meta({ id: "FileLink" });

/** A link to a file. */
export type FileLinkData = z.infer<typeof fileLinkResponse>;
