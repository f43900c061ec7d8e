import {
  descriptionParameters,
  emptyResponse,
  fileLinkRequest,
  fileLinkResponse,
  finishParameters,
  headerNames,
  objectSchema,
  storeParameters,
  uploadResponse,
} from "@sallyport/contract";
import { objectReference, ServiceError, type SingleReference } from "@sallyport/storage";
import { type ChunkRange, type SessionContext, type UploadState } from "@sallyport/core";
import * as z from "zod";
import { parseContentRange } from "../files/byte-ranges.ts";
import { incomingFile } from "../files/multipart.ts";
import { type StreamedBody, streamTypes } from "../files/streamed-body.ts";
import { objectSuccess, singleReference, writtenObjectSchema } from "./object-routes.ts";
import { defineRoute, type Route, type Success } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const { multipart, bytes: octets } = streamTypes;

const contentRange = {
  "Content-Range": "Place of the bytes in the file, and its size: `bytes 0-1023/4096`. Required with a body.",
};

const storing = [404, 502, 600, 602, 603, 606, 702, 707, 708, 709, 801] as const;

/** Routes that upload files in several requests. */
export function uploadRoutes(useCases: UseCases): Route[] {
  const { beginUpload, readUpload, storeChunk, finishUpload, cancelUpload } = useCases;
  const store = async (
    context: SessionContext,
    uploadId: string,
    range: ChunkRange | null,
    body: StreamedBody,
  ): Promise<Success> =>
    stateOf(
      context,
      await storeChunk.storeChunk(context, uploadId, range, () => incomingFile(body, context.database.policy.files)),
    );
  const withoutId = (method: "PATCH" | "DELETE", operation: string, summary: string) =>
    defineRoute({
      method,
      path: "/v1/uploadFile",
      operation,
      summary,
      description: "Always fails with 601. The id of the upload belongs in the path.",
      access: "session",
      ...(method === "PATCH" ? { stream: { types: [multipart, octets], optional: true } } : {}),
      data: emptyResponse,
      errors: method === "PATCH" ? [207, 601] : [601],
      handle: async () => {
        throw new ServiceError(601);
      },
    });
  return [
    defineRoute({
      method: "GET",
      path: "/v1/uploadFile",
      operation: "beginUpload",
      summary: "Begin an upload",
      access: "session",
      isWrite: true,
      query: descriptionParameters,
      data: uploadResponse,
      errors: [404, 502, 700, 702, 706, 709],
      handle: async (context, { query }) => stateOf(context, await beginUpload.beginUpload(context, query)),
    }),
    withoutId("PATCH", "rejectUploadWithoutId", "Upload without an id"),
    withoutId("DELETE", "rejectCancelWithoutId", "Cancel without an id"),
    defineRoute({
      method: "GET",
      path: "/v1/uploadFile/{uploadId}",
      operation: "readUpload",
      summary: "Get the state of an upload",
      access: "session",
      data: uploadResponse,
      errors: [602, 603],
      handle: async (context, { parameter }) =>
        stateOf(context, await readUpload.readUpload(context, parameter("uploadId"))),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/uploadFile/{uploadId}",
      operation: "uploadWhole",
      summary: "Upload the whole file",
      description: "The form has one file. It replaces all bytes of the upload.",
      access: "session",
      excludedFromMulti: true,
      stream: { types: [multipart] },
      data: uploadResponse,
      errors: [500, 501, 503, ...storing],
      handle: async (context, { parameter, stream }) =>
        store(context, parameter("uploadId"), null, stream as StreamedBody),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/uploadFile/{uploadId}",
      operation: "continueUpload",
      apart: "person",
      summary: "Upload a chunk, or finish an upload",
      description:
        "With a body, stores a chunk: the bytes themselves, or a form with one file. Chunks can arrive in any order. Without a body, creates the object, or gives an existing one the new bytes. `name` and `mediaType` replace those of the begin and of forms.",
      access: "session",
      stream: { types: [multipart, octets], optional: true },
      headers: contentRange,
      query: finishParameters,
      data: z.union([writtenObjectSchema, uploadResponse]),
      versioned: true,
      conditional: true,
      errors: [207, 304, 308, 500, 503, 604, 610, 710, 713, ...storing],
      handle: async (context, { parameter, stream, header, query, expectedVersions }) => {
        const uploadId = parameter("uploadId");
        const given = header(headerNames.contentRange);
        if (stream !== null) return store(context, uploadId, rangeOf(given), stream);
        if (given !== undefined) throw new ServiceError(604);
        const { replaceOID, name, mediaType, ...created } = query;
        const replace = replaceOID === undefined ? null : fileReference(replaceOID);
        if (replace !== null && created.className !== undefined)
          throw new ServiceError(307, { detail: "at /className: A replaced object keeps its class." });
        return objectSuccess(
          await finishUpload.finishUpload(context, uploadId, {
            ...created,
            description: { name, mediaType },
            replace,
            expectedVersions,
          }),
        );
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/uploadFile/{uploadId}",
      operation: "cancelUpload",
      summary: "Cancel an upload",
      access: "session",
      data: emptyResponse,
      errors: [602, 603, 605],
      handle: async (context, { parameter }) => {
        await cancelUpload.cancelUpload(context, parameter("uploadId"));
        return { data: {} };
      },
    }),
  ];
}

/** Routes that store and read a file in one request. */
export function fileRoutes({ storeFile, openFile }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/uploadFile",
      operation: "storeFile",
      summary: "Upload a file in one request",
      description: "The form has one file, and optionally the field `path`, which names the root folder: `/`.",
      access: "session",
      excludedFromMulti: true,
      stream: { types: [multipart] },
      query: storeParameters,
      data: objectSchema,
      versioned: true,
      errors: [304, 308, 404, 500, 501, 502, 503, 700, 702, 709, 710, 713, 801],
      handle: async (context, { stream, query }) => {
        const { maxSize } = context.database.policy.files;
        const receive = () => incomingFile(stream as StreamedBody, { maxSize, parser: "multer" });
        return objectSuccess(await storeFile.storeFile(context, receive, query));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/file/{idOrUuid}",
      operation: "downloadFile",
      summary: "Download a file",
      description: "Returns the bytes of an object of class `File` or `Image`, all of them or one range.",
      access: "session",
      excludedFromMulti: true,
      isFile: true,
      headers: rangeHeaders,
      data: z.string(),
      errors: [304, 600, 609, 707, 708],
      handle: async (context, { parameter }) => ({
        file: await openFile.openFile(context, singleReference(parameter("idOrUuid"))),
      }),
    }),
  ];
}

/** Routes that give a file to clients without credentials. */
export function fileLinkRoutes({ createFileLink, openFileLink }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/file/{idOrUuid}/link",
      operation: "createFileLink",
      isRead: true,
      summary: "Create a link to a file",
      description:
        "Returns an address that gives the present bytes of the file to everyone who has it, without credentials. It ends when it expires, when the file gets other bytes, and when its creator may no longer read the file.",
      access: "session",
      body: { schema: fileLinkRequest, faultOrder: [], optional: true },
      data: fileLinkResponse,
      errors: [304, 609, 707],
      handle: async (context, { parameter, body, settings: { publicUrl, basePath } }) => {
        const { expiresIn, session } = body;
        const { alias, storeTime } = context.database;
        const { signature, expiresAt } = await createFileLink.createFileLink(
          context,
          singleReference(parameter("idOrUuid")),
          { lifetime: expiresIn * 1_000, endsWithSession: session },
        );
        const place = [publicUrl ?? basePath, ...(alias === "" ? [] : [alias]), "v1", "link", signature];
        return { data: { url: place.join("/"), expiresAt: storeTime.format(expiresAt) } };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/link/{signature}",
      operation: "downloadLinkedFile",
      summary: "Download a file by its link",
      description:
        "Returns the bytes of a file, all of them or one range. Images, audio and video can be parts of web pages. Everything else is an attachment.",
      access: "address",
      carriesSecrets: true,
      excludedFromMulti: true,
      isFile: true,
      headers: rangeHeaders,
      data: z.string(),
      errors: [304, 600, 707, 708],
      handle: async (context, { parameter }) => ({
        file: await openFileLink.openFileLink(context, parameter("signature")),
        embeddable: true,
      }),
    }),
  ];
}

const rangeHeaders = {
  Range: "One range of bytes: `bytes=0-1023`, `bytes=1024-` or `bytes=-1024`. The answer then is 206.",
  "If-Range": "`ETag` of the bytes that the client has. With another one, the whole file is sent.",
  "If-None-Match": "One or more `ETag` values. If the file has one of them, the answer is 304.",
};

function stateOf({ database }: SessionContext, { expiresAt, ...state }: UploadState): Success {
  return { data: { ...state, expiresAt: database.storeTime.format(expiresAt) } };
}

function rangeOf(header: string | undefined): ChunkRange {
  const range = parseContentRange(header ?? "");
  if (range === undefined) throw new ServiceError(600, { detail: "The header Content-Range is absent or malformed." });
  return range;
}

function fileReference(text: string): SingleReference {
  const reference = objectReference(text);
  if (reference === null || reference.kind === "class") throw new ServiceError(307, { detail: "at /replaceOID" });
  return reference;
}
