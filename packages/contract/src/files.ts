import * as z from "zod";
import { flag } from "./fields.ts";
import { objectParameters } from "./objects/object-parameters.ts";
import { objectSchema, writtenObjectSchema } from "./objects/objects.ts";
import { operations, streamTypes } from "./operations.ts";

const byte = z.number().int().min(0);

/** State of an upload. */
export const uploadResponse = z
  .object({
    uploadId: z.string().describe("UUID of the upload, for the path of the following requests."),
    size: byte.describe("Number of bytes that the server has from the first one without a gap."),
    hash: z
      .string()
      .optional()
      .describe(
        "MD5 of these bytes, in lowercase hex digits. Absent with `hash=false`, or if the bytes cannot be read.",
      ),
    ranges: z
      .array(z.object({ first: byte, last: byte }))
      .describe("All bytes that the server has. `last` is included. Ascending, neither overlapping nor adjacent."),
    expiresAt: z.string().describe("Time when the upload expires, `yyyyMMddTHHmmss+hh:mm`. Each chunk moves it."),
  })
  .meta({ id: "Upload" });

/** State of an upload. */
export type UploadData = z.infer<typeof uploadResponse>;

/** Query parameters of requests that return the state of an upload. */
export const stateParameters = z.object({
  hash: flag
    .optional()
    .describe(
      "`false` leaves out the MD5. Chunks then cost the server less, and no state waits for it. Defaults to `true`.",
    ),
});

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
  name: z.string().optional().describe("Name of the file, for chunks that are not forms."),
  mediaType: z.string().optional().describe("Its media type, such as `text/plain`."),
});

/** Query parameters that finish an upload. */
export const finishParameters = storeParameters
  .extend(descriptionParameters.shape)
  .extend(stateParameters.shape)
  .extend({
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
        "Whether the link ends with the session. If not, it ends when its creator is banned or disabled, or gets another password. Links of a session of a console always end with it.",
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

const { multipart, bytes: octets } = streamTypes;

const contentRange = {
  "Content-Range": "Place of the bytes in the file, and its size: `bytes 0-1023/4096`. Required with a body.",
};

const rangeHeaders = {
  Range: "One range of bytes: `bytes=0-1023`, `bytes=1024-` or `bytes=-1024`. The answer then is 206.",
  "If-Range": "`ETag` of the bytes that the client has. With another one, the whole file is sent.",
  "If-None-Match": "One or more `ETag` values. If the file has one of them, the answer is 304.",
};

const storing = [404, 502, 600, 602, 603, 606, 702, 707, 708, 709, 801] as const;

const withoutId = "Always fails with 601. The id of the upload belongs in the path.";

/** Uploads in several requests, files in one request, and links to files. */
export const fileOperations = operations("Files", {
  beginUpload: {
    method: "GET",
    path: "/v1/uploadFile",
    access: "session",
    effect: "write",
    summary: "Begin an upload",
    query: descriptionParameters,
    data: uploadResponse,
    errors: [404, 502, 700, 702, 706, 709],
  },
  rejectUploadWithoutId: {
    method: "PATCH",
    path: "/v1/uploadFile",
    access: "session",
    summary: "Upload without an id",
    description: withoutId,
    body: { stream: [multipart, octets], optional: true },
    errors: [207, 601],
  },
  rejectCancelWithoutId: {
    method: "DELETE",
    path: "/v1/uploadFile",
    access: "session",
    summary: "Cancel without an id",
    description: withoutId,
    errors: [601],
  },
  readUpload: {
    method: "GET",
    path: "/v1/uploadFile/{uploadId}",
    access: "session",
    summary: "Get the state of an upload",
    query: stateParameters,
    data: uploadResponse,
    errors: [602, 603],
  },
  uploadWhole: {
    method: "POST",
    path: "/v1/uploadFile/{uploadId}",
    access: "session",
    summary: "Upload the whole file",
    description: "The form has one file. It replaces all bytes of the upload.",
    query: stateParameters,
    data: uploadResponse,
    errors: [500, 501, 503, ...storing],
    body: { stream: [multipart] },
  },
  continueUpload: {
    method: "PATCH",
    path: "/v1/uploadFile/{uploadId}",
    access: "session",
    apart: "person",
    summary: "Upload a chunk, or finish an upload",
    description:
      "With a body, stores a chunk: the bytes themselves, or a form with one file. Chunks can arrive in any order. Without a body, creates the object, or gives an existing one the new bytes. `name` and `mediaType` replace those of the begin and of forms.",
    headers: contentRange,
    query: finishParameters,
    data: z.union([writtenObjectSchema, uploadResponse]),
    versioned: true,
    conditional: true,
    errors: [207, 304, 308, 500, 503, 604, 610, 710, 713, ...storing],
    body: { stream: [multipart, octets], optional: true },
  },
  cancelUpload: {
    method: "DELETE",
    path: "/v1/uploadFile/{uploadId}",
    access: "session",
    summary: "Cancel an upload",
    errors: [602, 603, 605],
  },
  storeFile: {
    method: "POST",
    path: "/v1/uploadFile",
    access: "session",
    inMulti: false,
    summary: "Upload a file in one request",
    description: "The form has one file, and optionally the field `path`, which names the root folder: `/`.",
    query: storeParameters,
    data: objectSchema,
    versioned: true,
    errors: [304, 308, 404, 500, 501, 502, 503, 700, 702, 709, 710, 713, 801],
    body: { stream: [multipart] },
  },
  downloadFile: {
    method: "GET",
    path: "/v1/file/{idOrUuid}",
    access: "session",
    summary: "Download a file",
    description: "Returns the bytes of an object of class `File` or `Image`, all of them or one range.",
    headers: rangeHeaders,
    answer: "file",
    errors: [304, 600, 609, 707, 708],
  },
  createFileLink: {
    method: "POST",
    path: "/v1/file/{idOrUuid}/link",
    access: "session",
    effect: "read",
    summary: "Create a link to a file",
    description:
      "Returns an address that gives the present bytes of the file to everyone who has it, without credentials. It ends when it expires, when the file gets other bytes, and when its creator may no longer read the file.",
    body: { json: fileLinkRequest, optional: true },
    data: fileLinkResponse,
    errors: [304, 609, 707],
  },
  downloadLinkedFile: {
    method: "GET",
    path: "/v1/link/{signature}",
    access: "address",
    summary: "Download a file by its link",
    description:
      "Returns the bytes of a file, all of them or one range. Images, audio and video can be parts of web pages. Everything else is an attachment.",
    headers: rangeHeaders,
    answer: "file",
    errors: [304, 600, 707, 708],
  },
});
